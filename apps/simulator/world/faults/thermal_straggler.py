"""A GPU gets too hot and slows everybody down; nothing stops."""

from apps.simulator.world.cascade import scheduler_ends
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.machines.cluster import gpu_pci
from apps.simulator.world.story import Culprit, Effect, FaultOutcome, FaultScene, Truth, Weight

_THERMAL_BITS = 0x20 | 0x40  # software thermal slowdown, hardware thermal slowdown


def _strike(scene: FaultScene) -> FaultOutcome:
    attempt, rank = scene.attempt, scene.victim_rank()
    host, gpu = attempt.host(rank), attempt.gpu(rank)
    factor = scene.dice.between("factor", 1.45, 1.8)
    ended = attempt.ends_at or scene.at + 1800.0
    lines = scheduler_ends(
        scene=scene, attempt=attempt, at=ended, state="finished", weight=Weight.INNOCENT
    )
    more, effects = add(scene=scene, names=("old-xid", "mlx5-noise", "corrected-bits"))
    selected = {"gpu": str(gpu)}
    effects += [
        Effect(
            metric=metric,
            host=host,
            how=how,
            starts_at=scene.at,
            ends_at=ended,
            amount=amount,
            match=selected,
        )
        for metric, how, amount in (
            ("DCGM_FI_DEV_GPU_TEMP", "add", 24.0),
            ("DCGM_FI_DEV_MEMORY_TEMP", "add", 21.0),
            ("DCGM_FI_DEV_SM_CLOCK", "add", -1965.0 * (1.0 - 1.0 / factor)),
            ("DCGM_FI_DEV_POWER_USAGE", "add", -310.0),
            ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "set", float(_THERMAL_BITS)),
            ("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "set", float(_THERMAL_BITS)),
            ("DCGM_FI_DEV_THERMAL_VIOLATION", "ramp", (ended - scene.at) * 0.6e9),
        )
    ]
    return FaultOutcome(
        truth=Truth(
            scenario="thermal-straggler",
            kind="throttling",
            attempts=(attempt,),
            layer="gpu",
            cause="gpu-throttling",
            culprits=(Culprit(kind="gpu", host=host, gpu=gpu, rank=rank, pci=gpu_pci(gpu)),),
            has_incident=True,
            status="possible",
            parties=scene.parties("verdant"),
            failed_at=scene.at,
            newest_evidence_at=ended,
            needs_metrics=True,
        ),
        lines=tuple(lines + more),
        effects=tuple(effects),
        halts={attempt.key: ended},
        slow_from={attempt.key: (scene.at, factor)},
        slow_ranks=(rank,),
        ended_at={attempt.key: ended},
    )


THERMAL_STRAGGLER = SimulatedFault(name="thermal-straggler", strike=_strike)
