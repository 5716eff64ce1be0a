"""A GPU falls off the bus after minutes of PCIe errors on its link."""

from apps.simulator.world.cascade import (
    kernel_lines,
    launchers_give_up,
    peers_lost,
    scheduler_ends,
    session_line,
)
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.log_templates import c10d, kernel
from apps.simulator.world.machines.cluster import gpu_pci
from apps.simulator.world.story import Culprit, Effect, FaultOutcome, FaultScene, PrintedLine, Truth


def lose_gpu(*, scene: FaultScene, scenario: str, storm_seconds: float) -> FaultOutcome:
    """Return the trail of a GPU whose link degrades for a while and then is gone."""
    attempt, rank = scene.attempt, scene.victim_rank()
    host, gpu = attempt.host(rank), attempt.gpu(rank)
    node = scene.node(host)
    lines = _storm(scene, host, gpu, storm_seconds)
    wording = scene.dice.choice("wording", ("old", "new"))
    lines += kernel_lines(
        host=host, at=scene.at - 0.08, texts=kernel.aer(gpu=gpu, is_fatal=True, wording=wording)
    )
    texts = kernel.identity(node=node, gpu=gpu) + kernel.fallen_off(gpu=gpu)
    lines += kernel_lines(host=host, at=scene.at, texts=texts)
    said_at = scene.at + scene.dice.between("cuda", 0.9, 3.0)
    final = (
        f"{'torch.AcceleratorError' if attempt.style.torch >= (2, 8) else 'RuntimeError'}: "
        "CUDA error: "
        "unspecified launch failure\nCUDA kernel errors might be asynchronously reported "
        "at some other API "
        "call, so the stacktrace below might be incorrect."
    )
    text = c10d.traceback(
        rank=rank,
        frames=('File "/opt/train/pretrain.py", line 412, in train_step', "optimizer.step()"),
        final=final,
    )
    lines.append(session_line(attempt=attempt, rank=rank, at=said_at, text=text))
    lines += peers_lost(scene=scene, attempt=attempt, dead=[rank], at=said_at + 0.4, share=0.08)
    lines += launchers_give_up(
        scene=scene, attempt=attempt, first=rank, code=1, at=said_at + 3.0, node_share=0.2
    )
    ended = said_at + (14.0 if scene.live else 31.0)
    lines += scheduler_ends(scene=scene, attempt=attempt, at=ended, state="failed")
    more, effects = add(scene=scene, names=("old-xid", "late-aer", "mlx5-noise", "mass-45"))
    selected = {"gpu": str(gpu)}
    effects += [
        Effect(
            metric="DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
            host=host,
            how="ramp",
            starts_at=scene.at - storm_seconds,
            ends_at=scene.at,
            amount=scene.dice.integer("replays", 180, 900),
            match=selected,
        ),
        Effect(
            metric="DCGM_FI_DEV_PCIE_CORRECTABLE_ERROR_TOTAL",
            host=host,
            how="ramp",
            starts_at=scene.at - storm_seconds,
            ends_at=scene.at,
            amount=scene.dice.integer("corrected", 60, 300),
            match=selected,
        ),
        Effect(
            metric="DCGM_FI_DEV_XID_ERRORS",
            host=host,
            how="set",
            starts_at=scene.at,
            amount=79,
            match=selected,
        ),
        Effect(
            metric="DCGM_FI_DEV_GPU_RECOVERY_ACTION",
            host=host,
            how="set",
            starts_at=scene.at,
            amount=2,
            match=selected,
        ),
        Effect(
            metric="DCGM_FI_*",
            host=host,
            how="gone",
            starts_at=scene.at + 45.0,
            ends_at=scene.at + 5400.0,
            match=selected,
        ),
    ]
    return FaultOutcome(
        truth=Truth(
            scenario=scenario,
            kind="xid79",
            attempts=(attempt,),
            layer="gpu",
            cause="gpu-off-bus",
            culprits=(Culprit(kind="gpu", host=host, gpu=gpu, rank=rank, pci=gpu_pci(gpu)),),
            has_incident=True,
            status="likely",
            parties=scene.parties("verdant"),
            failed_at=scene.at,
            newest_evidence_at=ended,
            live=scene.live,
        ),
        lines=tuple(lines + more),
        effects=tuple(effects),
        halts={attempt.key: scene.at},
        ended_at={attempt.key: ended},
        exit_codes={attempt.key: {rank: 1}},
    )


def _storm(scene: FaultScene, host: str, gpu: int, seconds: float) -> list[PrintedLine]:
    """Corrected errors, ever closer together."""
    lines: list[PrintedLine] = []
    wording = scene.dice.choice("wording", ("old", "new"))
    count = scene.dice.integer("storm", 7, 14)
    for i in range(count):
        at = scene.at - seconds * (1.0 - i / count) ** 2 - 1.5
        lines += kernel_lines(
            host=host, at=at, texts=kernel.aer(gpu=gpu, is_fatal=False, wording=wording)
        )
    return lines


def _strike(scene: FaultScene) -> FaultOutcome:
    return lose_gpu(
        scene=scene, scenario="xid79-pcie", storm_seconds=scene.dice.between("storm", 150, 420)
    )


XID79_PCIE = SimulatedFault(name="xid79-pcie", strike=_strike)
