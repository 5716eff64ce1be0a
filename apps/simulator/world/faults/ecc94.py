"""A contained memory error, after rows had been remapped ever more often."""

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


def _strike(scene: FaultScene) -> FaultOutcome:
    attempt, rank = scene.attempt, scene.victim_rank()
    host, gpu = attempt.host(rank), attempt.gpu(rank)
    node, pid = scene.node(host), attempt.host_pid(rank)
    remaps = [scene.at - 3000.0, scene.at - 1400.0, scene.at - 420.0]
    lines: list[PrintedLine] = []
    for i, at in enumerate(remaps):
        row = scene.dice.integer(f"row/{i}", 0x1000, 0xFFFFF)
        text = f"Row Remapper: New row (0x{row:016x}) marked for remapping, reset gpu to activate."
        lines += kernel_lines(host=host, at=at, texts=[kernel.xid(gpu=gpu, code=63, text=text)])
    unit = scene.dice.choice("unit", ("SM (0x1)", "CE User Channel (0x9)", "LTC (0x5)"))
    texts = [
        *kernel.identity(node=node, gpu=gpu),
        kernel.xid(
            gpu=gpu,
            code=94,
            pid=pid,
            text=f"Contained: {unit}. RST: No, D-RST: No",
            name="pt_main_thread",
        ),
        kernel.xid(gpu=gpu, code=45, pid=pid, text="Ch 00000009 caused by previous Xid 94"),
    ]
    lines += kernel_lines(host=host, at=scene.at, texts=texts)
    said_at = scene.at + scene.dice.between("cuda", 0.4, 1.6)
    name = "torch.AcceleratorError" if attempt.style.torch >= (2, 8) else "RuntimeError"
    text = c10d.traceback(
        rank=rank,
        frames=(
            'File "/opt/train/schedules.py", line 233, in forward_step',
            "output = model(*batch)",
        ),
        final=f"{name}: CUDA error: uncorrectable ECC error encountered",
    )
    lines.append(session_line(attempt=attempt, rank=rank, at=said_at, text=text))
    lines += peers_lost(scene=scene, attempt=attempt, dead=[rank], at=said_at + 0.7, share=0.12)
    lines += launchers_give_up(scene=scene, attempt=attempt, first=rank, code=1, at=said_at + 2.0)
    ended = said_at + 34.0
    lines += scheduler_ends(scene=scene, attempt=attempt, at=ended, state="failed")
    more, effects = add(scene=scene, names=("old-xid", "mass-45", "corrected-bits"))
    return FaultOutcome(
        truth=Truth(
            scenario="ecc94",
            kind="xid94",
            attempts=(attempt,),
            layer="gpu",
            cause="gpu-ecc-uncorrectable",
            culprits=(Culprit(kind="gpu", host=host, gpu=gpu, rank=rank, pci=gpu_pci(gpu)),),
            has_incident=True,
            status="likely",
            parties=scene.parties("verdant"),
            failed_at=scene.at,
            newest_evidence_at=ended,
        ),
        lines=tuple(lines + more),
        effects=tuple(effects + _effects(scene, host, gpu, remaps)),
        halts={attempt.key: scene.at},
        ended_at={attempt.key: ended},
        exit_codes={attempt.key: {rank: 1}},
    )


def _effects(scene: FaultScene, host: str, gpu: int, remaps: list[float]) -> list[Effect]:
    selected = {"gpu": str(gpu)}
    table = [("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "step", at, 1.0) for at in remaps]
    table += [
        ("DCGM_FI_DEV_ROW_REMAP_PENDING", "set", remaps[0], 1.0),
        ("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "step", remaps[1], 40.0),
        ("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "step", remaps[2], 260.0),
        ("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "step", scene.at, 1.0),
        ("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "step", scene.at, 1.0),
        ("DCGM_FI_DEV_XID_ERRORS", "set", remaps[0], 63.0),
        ("DCGM_FI_DEV_XID_ERRORS", "set", scene.at, 94.0),
    ]
    return [
        Effect(metric=metric, host=host, how=how, starts_at=at, amount=amount, match=selected)
        for metric, how, at, amount in table
    ]


ECC94 = SimulatedFault(name="ecc94", strike=_strike)
