"""A GPU's own processor stops answering; the collective hangs until the watchdog gives up."""

from apps.simulator.world.cascade import (
    kernel_lines,
    launchers_give_up,
    scheduler_ends,
    waited_in_vain,
)
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.log_templates import kernel
from apps.simulator.world.machines.cluster import gpu_pci
from apps.simulator.world.story import Culprit, Effect, FaultOutcome, FaultScene, PrintedLine, Truth

_TIMEOUT_SECONDS = 600


def _strike(scene: FaultScene) -> FaultOutcome:
    attempt, rank = scene.attempt, scene.victim_rank()
    host, gpu = attempt.host(rank), attempt.gpu(rank)
    node = scene.node(host)
    lines: list[PrintedLine] = []
    pause = scene.dice.choice("pause", (45, 6))
    for i in range(6):
        name, pid = (
            (("nvidia-smi", 31_000 + i), ("dcgm-exporter", 4120))[i % 2]
            if i
            else ("python3", attempt.host_pid(rank))
        )
        texts = [kernel.gsp_silent(gpu=gpu, pid=pid, name=name, seconds=pause)]
        if i == 0:
            texts = [*kernel.identity(node=node, gpu=gpu), *texts]
        lines += kernel_lines(host=host, at=scene.at + 46.0 * i, texts=texts)
    limited = (
        f"NVRM: Rate limiting GSP RPC error prints for GPU at PCI:{gpu_pci(gpu)[:-2]} "
        "(printing 1 of every 30).  The GPU likely needs to be reset."
    )
    lines += kernel_lines(
        host=host, at=scene.at + 280.0, texts=[limited, kernel.recovery(gpu=gpu, action="0x1")]
    )
    lines += waited_in_vain(
        scene=scene,
        attempt=attempt,
        since=scene.at - 1.0,
        silent={rank},
        share=0.55,
        op="ALLREDUCE",
        numel=268435456,
        timeout_seconds=_TIMEOUT_SECONDS,
    )
    given_up = scene.at + _TIMEOUT_SECONDS + 3.0
    lines += launchers_give_up(
        scene=scene, attempt=attempt, first=(rank + 1) % 8 + rank // 8 * 8, code=-6, at=given_up
    )
    ended = given_up + 38.0
    lines += scheduler_ends(scene=scene, attempt=attempt, at=ended, state="failed")
    more, effects = add(scene=scene, names=("old-xid", "mlx5-noise", "late-aer"))
    selected = {"gpu": str(gpu)}
    effects += [
        Effect(
            metric="DCGM_FI_DEV_XID_ERRORS",
            host=host,
            how="set",
            starts_at=scene.at,
            amount=119,
            match=selected,
        ),
        Effect(
            metric="DCGM_FI_PROF_*",
            host=host,
            how="gone",
            starts_at=scene.at + 40.0,
            ends_at=scene.at + 3600.0,
            match=selected,
        ),
        Effect(
            metric="DCGM_FI_DEV_GPU_RECOVERY_ACTION",
            host=host,
            how="set",
            starts_at=scene.at + 280.0,
            amount=1,
            match=selected,
        ),
        Effect(
            metric="scrape_duration_seconds",
            host=host,
            how="add",
            starts_at=scene.at,
            ends_at=scene.at + 3600.0,
            amount=6.2,
            match={"job": "dcgm"},
        ),
    ]
    return FaultOutcome(
        truth=Truth(
            scenario="gsp119",
            kind="xid119",
            attempts=(attempt,),
            layer="gpu",
            cause="gpu-gsp-timeout",
            culprits=(Culprit(kind="gpu", host=host, gpu=gpu, rank=rank, pci=gpu_pci(gpu)),),
            has_incident=True,
            status="likely",
            parties=scene.parties("verdant"),
            failed_at=scene.at,
            newest_evidence_at=ended,
        ),
        lines=tuple(lines + more),
        effects=tuple(effects),
        halts={attempt.key: scene.at - 1.0},
        ended_at={attempt.key: ended},
        exit_codes={attempt.key: {rank: -15}},
    )


GSP119 = SimulatedFault(name="gsp119", strike=_strike)
