"""What a failure leaves in the values from the moment it strikes until the repair."""

from collections.abc import Callable

import numpy as np

from tests.census import degradations
from tests.census.cases import Case
from tests.census.effects import Happenings, Reset, Xid
from tests.census.life import END, HOUR, MINUTE, START
from tests.census.line_writer import Pen
from tests.census.precursors import GETATTR_TIMES, SCRAPE

Chance = np.random.Generator
_NVLINK = "DCGM_FI_DEV_NVLINK_"
_ECC = "DCGM_FI_DEV_ECC_"
_RUNNABLE = ("node_procs_running", 'node_processes_state{state="R"}')
_BLOCKED = ("node_procs_blocked", 'node_processes_state{state="D"}')
REMAPS = 254  # correctable remaps of one GPU over the 55 days


def strike(*, case: Case, into: Happenings, rng: Chance) -> float:
    """Write all that the case does to its node; return what it costs its session's speed."""
    pen = Pen(case=case, into=into, rng=rng)
    _WRITERS[case.kind](pen)
    _repair(pen)
    if case.kind in degradations.WRITERS:
        return degradations.drag(kind=case.kind, severity=pen.severity)
    return 0.0


def _repair(pen: Pen) -> None:
    """Reset, restart or exchange what broke; slow nodes are drained first, when they are over."""
    case, rng = pen.case, pen.rng
    is_slow = case.kind in degradations.WRITERS
    back = case.ends_at + float(rng.uniform(0.5, 1.5)) * HOUR if is_slow else case.ends_at
    what = {"reset": ("driver",), "boot": ("boot",), "exchange": ("boot", "gpu")}
    for each in what.get(case.repair, ()):
        gpu = case.gpu if each == "gpu" else None
        pen.into.resets.append(Reset(host=case.host, at=back, what=each, gpu=gpu))
    if case.repair in {"boot", "exchange"} and case.kind != "unreachable":
        pen.gap("node", back - float(rng.uniform(5, 14)) * MINUTE, back)


def _standstill(pen: Pen) -> None:
    """Interrupts fall to a quarter or a third and nothing wants to run, while the others wait."""
    case = pen.case
    span = (case.at, case.at + case.stall_seconds)
    pen.effect("node_intr_total", "cap", pen.rng.uniform(2300, 3300), span=span, whole=True)
    pen.effect(_RUNNABLE, "cap", 1.0, span=span, whole=True)
    pen.effect('node_cpu_seconds_total{mode="user"}', "cap", 6.0, span=span, whole=True)
    pen.effect("node_context_switches_total", "cap", 1.6e4, span=span, whole=True)


def _code(pen: Pen, *, after: float = 0.0, code: int | None = None) -> None:
    case = pen.case
    number = code or case.xid or 0
    pen.into.xids.append(Xid(host=case.host, gpu=case.gpu or 0, at=case.at + after, code=number))


def _dump(pen: Pen, *, strength: float) -> None:
    """Write core files: pages go out and GETATTR is slow until the workers are dead."""
    case = pen.case
    span = (case.at, case.at + pen.rng.uniform(3, 8) * MINUTE)
    pen.effect("node_vmstat_pgpgout", "add", 9e4 * strength, span=span, shape="decay", whole=True)
    pen.effect(GETATTR_TIMES, "scale", 25 * strength, span=span, shape="decay", whole=True)


def _nvlink(pen: Pen) -> None:
    rng = pen.rng
    _standstill(pen)
    _code(pen)
    pen.burst(_NVLINK + "CRC_FLIT_ERROR_COUNT_TOTAL", np.exp(rng.uniform(1, 7)))
    pen.burst(_NVLINK + "RECOVERY_ERROR_COUNT_TOTAL", rng.uniform(0, 4))
    pen.burst(_NVLINK + "COUNT_LINK_RECOVERY_FAILED_EVENTS", 0.7)
    pen.burst(_NVLINK + "PPCNT_PHYSICAL_LINK_DOWN_COUNTER", 0.3)
    pen.burst("DCGM_FI_DEV_NVSWITCH_LINK_FATAL_ERRORS", 0.4)
    pen.effect(_NVLINK + "LINK_STATUS", "set", 1.0)
    pen.effect("DCGM_FI_DEV_GPU_RECOVERY_ACTION", "set", 1.0)
    traffic = (_NVLINK + "BANDWIDTH_TOTAL", "DCGM_FI_PROF_NVLINK_TX_BYTES")
    pen.effect(traffic, "scale", -1.0)
    if rng.random() < 0.5:
        _dump(pen, strength=float(rng.uniform(0.1, 0.8)))


def _ecc(pen: Pen) -> None:
    rng = pen.rng
    _standstill(pen)
    _code(pen)
    _dump(pen, strength=float(rng.uniform(0.4, 1.2)))
    number = rng.uniform(0, 3)
    for part in ("DBE_VOL_TOTAL", "DBE_AGG_TOTAL", "DBE_VOL_DEV", "DBE_AGG_DEV"):
        pen.burst(_ECC + part, number)
    pen.burst("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", number)
    pen.effect("DCGM_FI_DEV_ROW_REMAP_PENDING", "set", 1.0)
    pen.effect("DCGM_FI_DEV_GPU_RECOVERY_ACTION", "set", 1.0)
    if pen.case.repair == "exchange":
        _more_remaps(pen)


def _more_remaps(pen: Pen) -> None:
    """Step up further with each attempt to use the GPU, until it dies."""
    case, rng = pen.case, pen.rng
    dies_at = case.at + (case.ends_at - case.at) * rng.uniform(0.4, 0.8)
    for at in rng.uniform(case.at, dies_at, int(rng.integers(3, 9))):
        into = pen.into
        into.count("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", case.host, case.gpu or 0, float(at))
        into.xids.append(Xid(host=case.host, gpu=case.gpu or 0, at=float(at), code=94))
    pen.effect("DCGM_FI_DEV_ROW_REMAP_FAILURE", "set", 1.0, span=(dies_at, case.ends_at))
    pen.gap("gpu", float(dies_at), case.ends_at)


def _off_bus(pen: Pen) -> None:
    case, rng = pen.case, pen.rng
    _standstill(pen)
    shown = rng.uniform(45, 200) if rng.random() < 0.6 else 0.0
    if shown:
        _code(pen)
    pen.burst("DCGM_FI_DEV_PCIE_CORRECTABLE_ERROR_TOTAL", rng.uniform(0, 30))
    pen.effect("node_pcidevice_current_link_width", "set", 0.0)
    pen.gap("gpu", case.at + shown, case.ends_at)
    pen.effect(SCRAPE, "add", rng.uniform(0.05, 3.0), whole=True)
    if rng.random() < 0.4:
        start = case.at + rng.uniform(20, 90)
        pen.gap("dcgm-exporter", start, start + rng.uniform(2, 20) * MINUTE)


def _gsp(pen: Pen) -> None:
    case, rng = pen.case, pen.rng
    _standstill(pen)
    for repeat in range(int(rng.integers(3, 14))):
        _code(pen, after=45.0 * repeat)
    pen.effect(SCRAPE, "add", rng.uniform(0.5, 7.0), whole=True)
    pen.effect(_BLOCKED, "add", rng.uniform(2, 9), whole=True)
    pen.effect("DCGM_FI_DEV_GPU_UTIL", "set", 0.0, span=(case.at, case.ends_at))
    pen.effect("DCGM_FI_DEV_GPU_RECOVERY_ACTION", "set", 1.0)
    pen.burst("node_kernel_hung_tasks_total", rng.uniform(0, 5), seconds=400.0)


def _unreachable(pen: Pen) -> None:
    pen.gap("node", pen.case.at, pen.case.ends_at)


def _remap(pen: Pen) -> None:
    """Grow unevenly for all the weeks, never a code, and then the GPU is gone."""
    case, rng = pen.case, pen.rng
    spells = rng.uniform(START, case.at, 40)
    for _ in range(REMAPS):
        near = rng.random() < 0.7
        at = (
            spells[int(rng.integers(40))] + rng.exponential(2 * HOUR)
            if near
            else rng.uniform(START, case.at)
        )
        at = float(min(at, case.at - MINUTE))
        where = (case.host, case.gpu or 0)
        pen.into.count("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", *where, at)
        for name in ("ECC_SBE_VOL_TOTAL", "ECC_SBE_AGG_TOTAL", "ECC_SBE_AGG_DEV"):
            pen.into.count("DCGM_FI_DEV_" + name, *where, at, int(rng.geometric(0.5)))
    pen.effect(
        "DCGM_FI_DEV_BANKS_REMAP_ROWS_AVAIL_MAX",
        "add",
        -REMAPS,
        shape="ramp",
        span=(START, END),
        whole=True,
    )
    pen.gap("gpu", case.at, case.ends_at)
    _standstill(pen)


_WRITERS: dict[str, Callable[[Pen], None]] = {
    "nvlink": _nvlink,
    "ecc": _ecc,
    "off-bus": _off_bus,
    "gsp": _gsp,
    "unreachable": _unreachable,
    "remap": _remap,
    **degradations.WRITERS,
}
