"""One rank's host memory grows past its container's limit and the kernel kills it."""

from apps.simulator.world.cascade import (
    kernel_lines,
    launchers_give_up,
    peers_lost,
    scheduler_ends,
)
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.log_templates import kernel
from apps.simulator.world.noise import digest
from apps.simulator.world.story import Culprit, Effect, FaultOutcome, FaultScene, Truth


def _strike(scene: FaultScene) -> FaultOutcome:
    attempt, rank = scene.attempt, scene.victim_rank()
    host = attempt.host(rank)
    comm = scene.dice.choice("comm", ("pt_main_thread", "python3", "python"))
    texts = kernel.out_of_memory(
        comm=comm,
        pid=attempt.host_pid(rank),
        rss_gib=scene.dice.between("rss", 190.0, 230.0),
        scope=f"{digest(seed=attempt.seed, name=f'scope/{attempt.key}/{host}'):016x}",
    )
    lines = kernel_lines(host=host, at=scene.at, texts=texts)
    lines += peers_lost(scene=scene, attempt=attempt, dead=[rank], at=scene.at + 0.6, share=0.1)
    lines += launchers_give_up(scene=scene, attempt=attempt, first=rank, code=-9, at=scene.at + 2.5)
    ended = scene.at + 36.0
    lines += scheduler_ends(scene=scene, attempt=attempt, at=ended, state="failed")
    more, effects = add(scene=scene, names=("old-xid", "late-aer", "mass-45", "mlx5-noise"))
    used = 1.9e12
    effects += [
        Effect(
            metric="node_memory_MemAvailable_bytes",
            host=host,
            how="sink",
            starts_at=scene.at - 1500.0,
            ends_at=scene.at,
            amount=-used * 0.7,
        ),
        Effect(
            metric="node_vmstat_oom_kill", host=host, how="step", starts_at=scene.at, amount=1.0
        ),
        Effect(
            metric="node_pressure_memory_waiting_seconds_total",
            host=host,
            how="ramp",
            starts_at=scene.at - 240.0,
            ends_at=scene.at,
            amount=90.0,
        ),
    ]
    return FaultOutcome(
        truth=Truth(
            scenario="host-oom",
            kind="oom-kill",
            attempts=(attempt,),
            layer="host",
            cause="host-oom",
            culprits=(Culprit(kind="process", host=host, rank=rank),),
            has_incident=True,
            status="likely",
            parties=scene.parties(),
            failed_at=scene.at,
            newest_evidence_at=ended,
        ),
        lines=tuple(lines + more),
        effects=tuple(effects),
        halts={attempt.key: scene.at},
        ended_at={attempt.key: ended},
        exit_codes={attempt.key: {rank: -9}},
    )


HOST_OOM = SimulatedFault(name="host-oom", strike=_strike)
