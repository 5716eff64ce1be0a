"""What goes before a failure, where anything does: written into the values and into the label."""

from collections.abc import Callable

import numpy as np

from tests.census.cases import Case, Precursor
from tests.census.effects import Effect, Happenings
from tests.census.life import HOUR, MINUTE, START

Chance = np.random.Generator
_NVLINK = "DCGM_FI_DEV_NVLINK_"
_FACTOR = {"obvious": 1.0, "plain": 0.3, "subtle": 0.08}
SCRAPE = 'scrape_duration_seconds{job="dcgm-exporter"}'
GETATTR_TIMES = tuple(
    f'node_mountstats_nfs_operations_{part}_time_seconds_total{{operation="GETATTR"}}'
    for part in ("response", "request")
)


def precede(*, case: Case, rng: Chance, into: Happenings) -> Precursor | None:
    """Write what goes before the case, when it was drawn that something does."""
    if case.precursor is None:
        return None
    choices = _WAYS[case.kind]
    return choices[int(rng.integers(len(choices)))](case, rng, into)


def trickle(
    *,
    into: Happenings,
    rng: Chance,
    names: tuple[str, ...],
    where: tuple[int, int],
    span: tuple[float, float],
    number: float,
) -> None:
    """Let event counters grow about `number` times in all, ever more often towards the end."""
    for position, name in enumerate(names):
        expected = number / (1 + position)
        for share in rng.random(int(rng.poisson(expected))) ** 0.4:
            at = span[0] + share * (span[1] - span[0])
            into.count(name, *where, float(at), 1 + int(rng.geometric(0.6)))


def _nvlink_errors(case: Case, rng: Chance, into: Happenings) -> Precursor:
    names = tuple(
        _NVLINK + part
        for part in (
            "CRC_FLIT_ERROR_COUNT_TOTAL",
            "REPLAY_ERROR_COUNT_TOTAL",
            "COUNT_LINK_RECOVERY_EVENTS",
            "COUNT_LINK_RECOVERY_SUCCESSFUL_EVENTS",
        )
    )
    start = case.at - rng.uniform(1.0, 30.0) * HOUR
    number = 150 * _factor(case)
    where = (case.host, case.gpu or 0)
    trickle(into=into, rng=rng, names=names, where=where, span=(start, case.at), number=number)
    return _told(case, "NVLink errors ever more often", start, names)


def _noisy_link(case: Case, rng: Chance, into: Happenings) -> Precursor:
    names = (_NVLINK + "COUNT_RX_SYMBOL_ERRORS", _NVLINK + "COUNT_SYMBOL_BER_FLOAT")
    start = case.at - rng.uniform(0.6, 16.0) * HOUR
    _scale(into, case, names, start, amount=60 * _factor(case), shape="late")
    return _told(case, "symbol errors of one GPU's links rise", start, names)


def _remaps(case: Case, rng: Chance, into: Happenings) -> Precursor:
    prefix = "DCGM_FI_DEV_"
    names = tuple(
        prefix + part
        for part in (
            "ECC_SBE_VOL_TOTAL",
            "ECC_SBE_AGG_TOTAL",
            "ECC_SBE_VOL_DEV",
            "CORRECTABLE_REMAPPED_ROWS",
        )
    )
    start = case.at - rng.uniform(3.0, 60.0) * HOUR
    number = 120 * _factor(case)
    where = (case.host, case.gpu or 0)
    trickle(into=into, rng=rng, names=names, where=where, span=(start, case.at), number=number)
    return _told(case, "corrected memory errors and remapped rows", start, names)


def _memory_heat(case: Case, rng: Chance, into: Happenings) -> Precursor:
    names = ("DCGM_FI_DEV_MEMORY_TEMP",)
    start = case.at - rng.uniform(1.0, 9.0) * HOUR
    _add(into, case, names, start, amount=3.0 + 14.0 * _factor(case), shape="rise")
    return _told(case, "the memory of one GPU runs hotter", start, names)


def _bus_errors(case: Case, rng: Chance, into: Happenings) -> Precursor:
    names = ("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "DCGM_FI_DEV_PCIE_CORRECTABLE_ERROR_TOTAL")
    start = case.at - rng.uniform(0.2, 7.0) * HOUR
    number = 200 * _factor(case)
    where = (case.host, case.gpu or 0)
    trickle(into=into, rng=rng, names=names, where=where, span=(start, case.at), number=number)
    return _told(case, "corrected errors of the GPU's PCIe link", start, names)


def _slow_driver(case: Case, rng: Chance, into: Happenings) -> Precursor:
    names = (SCRAPE, "node_procs_blocked", 'node_processes_state{state="D"}')
    start = case.at - rng.uniform(8, 80) * MINUTE
    _add(into, case, names[:1], start, amount=0.05 + 2.2 * _factor(case), shape="rise", whole=True)
    _add(into, case, names[1:], start, amount=0.5 + 7 * _factor(case), shape="bursts", whole=True)
    return _told(case, "the driver answers slowly", start, names)


def _slow_files(case: Case, rng: Chance, into: Happenings) -> Precursor:
    names = (*GETATTR_TIMES, "node_vmstat_pgpgout")
    start = case.at - rng.uniform(4, 25) * MINUTE
    _scale(into, case, names[:2], start, amount=0.5 + 9 * _factor(case), shape="rise", whole=True)
    _scale(into, case, names[2:], start, amount=1.0 + 60 * _factor(case), shape="rise", whole=True)
    return _told(case, "GETATTR slows and pages are written out", start, names)


def _failing_memory(case: Case, rng: Chance, into: Happenings) -> Precursor:
    names = ("node_edac_correctable_errors_total", "node_edac_channel_correctable_errors_total")
    start = case.at - rng.uniform(2.0, 40.0) * HOUR
    number = 90 * _factor(case)
    where = (case.host, -1)
    trickle(into=into, rng=rng, names=names, where=where, span=(start, case.at), number=number)
    return _told(case, "corrected errors of the main memory", start, names)


Way = Callable[[Case, Chance, Happenings], Precursor]
_WAYS: dict[str, tuple[Way, ...]] = {
    "nvlink": (_nvlink_errors, _nvlink_errors, _noisy_link, _slow_files),
    "ecc": (_remaps, _remaps, _memory_heat),
    "off-bus": (_bus_errors, _bus_errors, _slow_driver),
    "gsp": (_slow_driver, _slow_files),
    "unreachable": (_failing_memory, _slow_files),
}


def of_the_remapping_gpu() -> Precursor:
    """Return what is to be seen of the GPU that remaps rows for weeks and then vanishes."""
    return Precursor(
        what="correctable remaps for 55 days",
        starts_at=START,
        names=("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "DCGM_FI_DEV_ECC_SBE_AGG_TOTAL"),
        strength="plain",
    )


def _factor(case: Case) -> float:
    return _FACTOR[case.precursor or "subtle"]


def _told(case: Case, what: str, start: float, names: tuple[str, ...]) -> Precursor:
    return Precursor(
        what=what, starts_at=float(start), names=names, strength=case.precursor or "subtle"
    )


def _scale(
    into: Happenings,
    case: Case,
    names: tuple[str, ...],
    start: float,
    *,
    amount: float,
    shape: str,
    whole: bool = False,
) -> None:
    _write(into, case, names, start, ("scale", amount, shape, whole))


def _add(
    into: Happenings,
    case: Case,
    names: tuple[str, ...],
    start: float,
    *,
    amount: float,
    shape: str,
    whole: bool = False,
) -> None:
    _write(into, case, names, start, ("add", amount, shape, whole))


def _write(
    into: Happenings,
    case: Case,
    names: tuple[str, ...],
    start: float,
    how: tuple[str, float, str, bool],
) -> None:
    operation, amount, shape, whole = how
    into.effects.append(
        Effect(
            names=names,
            hosts=(case.host,),
            starts_at=float(start),
            ends_at=case.at,
            operation=operation,
            amount=amount,
            shape=shape,
            gpu=None if whole else case.gpu,
            key=case.number,
        )
    )
