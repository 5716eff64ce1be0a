"""An NVLink goes down for good; the program learns of it half a minute later."""

from apps.simulator.world.cascade import (
    kernel_lines,
    launchers_give_up,
    peers_lost,
    scheduler_ends,
    session_line,
)
from apps.simulator.world.decoys import add
from apps.simulator.world.faults import SimulatedFault
from apps.simulator.world.log_templates import c10d, kernel, nccl
from apps.simulator.world.machines.cluster import gpu_pci
from apps.simulator.world.story import Culprit, Effect, FaultOutcome, FaultScene, Truth

_MESSAGE = "uncorrectable NVLink error detected during the execution"


def _strike(scene: FaultScene) -> FaultOutcome:
    attempt, rank = scene.attempt, scene.victim_rank()
    host, gpu = attempt.host(rank), attempt.gpu(rank)
    node = scene.node(host)
    link = scene.dice.integer("link", 0, 17)
    pid = attempt.host_pid(rank)
    texts = [
        *kernel.identity(node=node, gpu=gpu),
        kernel.nvlink_down(
            gpu=gpu,
            link=link,
            reason=scene.dice.choice("reason", (2, 4, 10)),
            middle=scene.dice.integer("middle", 1, 900),
        ),
        kernel.recovery(gpu=gpu, action="0x1"),
        kernel.xid(gpu=gpu, code=45, pid=pid, text="Ch 0000000c caused by previous Xid 149"),
    ]
    lines = kernel_lines(host=host, at=scene.at, texts=texts)
    said_at = scene.at + scene.dice.between("delay", 22.0, 36.0)
    warned = nccl.cuda_failure(
        attempt=attempt, node=node, rank=rank, at=said_at, code=220, text=_MESSAGE
    )
    lines.append(session_line(attempt=attempt, rank=rank, at=said_at, text=warned))
    error = (
        f"CUDA error: {_MESSAGE}\nCUDA kernel errors might be asynchronously reported at some "
        "other API call."
    )
    text = c10d.watchdog_error(attempt=attempt, node=node, rank=rank, at=said_at + 0.2, error=error)
    lines.append(session_line(attempt=attempt, rank=rank, at=said_at + 0.2, text=text))
    lines += peers_lost(scene=scene, attempt=attempt, dead=[rank], at=said_at + 1.0, share=0.12)
    lines += launchers_give_up(scene=scene, attempt=attempt, first=rank, code=-6, at=said_at + 4.0)
    ended = said_at + 33.0
    lines += scheduler_ends(scene=scene, attempt=attempt, at=ended, state="failed")
    more, effects = add(scene=scene, names=("old-xid", "mlx5-noise", "late-aer"))
    selected = {"gpu": str(gpu)}
    effects += [
        Effect(
            metric=metric,
            host=host,
            how=how,
            starts_at=scene.at - before,
            ends_at=scene.at if how == "ramp" else float("inf"),
            amount=amount,
            match=selected,
        )
        for metric, how, before, amount in (
            ("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "ramp", 240.0, 1800.0),
            ("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "ramp", 90.0, 240.0),
            ("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "step", 0.0, 1.0),
            ("DCGM_FI_DEV_XID_ERRORS", "set", 0.0, 149.0),
            ("DCGM_FI_DEV_GPU_RECOVERY_ACTION", "set", 0.0, 1.0),
        )
    ]
    return FaultOutcome(
        truth=Truth(
            scenario="nvlink149",
            kind="xid149",
            attempts=(attempt,),
            layer="gpu",
            cause="gpu-nvlink",
            culprits=(Culprit(kind="gpu", host=host, gpu=gpu, rank=rank, pci=gpu_pci(gpu)),),
            has_incident=True,
            status="likely",
            parties=scene.parties("verdant"),
            failed_at=scene.at,
            newest_evidence_at=ended,
        ),
        lines=tuple(lines + more),
        effects=tuple(effects),
        halts={attempt.key: scene.at},
        ended_at={attempt.key: ended},
        exit_codes={attempt.key: {rank: -6}},
    )


NVLINK149 = SimulatedFault(name="nvlink149", strike=_strike)
