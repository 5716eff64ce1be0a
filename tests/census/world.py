"""One seed laid out: what breaks, who works, what else happens, what the scheduler tells of it."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tests.census import innocents, maintenance, precursors, traces
from tests.census.cases import (
    DEGRADATIONS,
    REMAP,
    XID_CASES,
    Case,
    Label,
    Precursor,
    breaks,
    draw_cases,
    host_name,
)
from tests.census.drivers import Drag, Drivers
from tests.census.effects import Effect, Happenings
from tests.census.life import HOUR, MINUTE, Life, Session
from tests.census.names import Name, names

START_BAND_SECONDS = 10 * MINUTE
STOP_BAND_SECONDS = 5 * MINUTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A span in which the scheduler knows that some nodes change what they do."""

    kind: str  # start, stop, maintenance
    starts_at: float
    ends_at: float
    hosts: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class World:
    """All of one seed; what is asked of it later is computed from this alone."""

    seed: int
    labels: tuple[Label, ...]
    sessions: tuple[Session, ...]
    bands: tuple[Band, ...]
    drivers: Drivers
    happenings: Happenings


@lru_cache(maxsize=2)
def world(seed: int) -> World:
    """Lay out a seed."""
    cases = draw_cases(seed=seed)
    windows = maintenance.windows(seed=seed)
    into = Happenings()
    life = Life(
        rng=np.random.default_rng([seed, 51]),
        breaks=[*breaks(cases), *maintenance.rolling(seed=seed)],
        windows=[(w.starts_at, w.ends_at) for w in windows],
    )
    life.lay_out()
    sessions = tuple(life.sessions)
    labels, drags = _write_cases(seed=seed, cases=cases, into=into)
    maintenance.carry_out(seed=seed, windows=windows, into=into)
    innocents.live_on(seed=seed, sessions=sessions, into=into)
    into.effects += _vanished(into)
    return World(
        seed=seed,
        labels=labels,
        sessions=sessions,
        bands=_bands(seed=seed, sessions=sessions, cases=cases),
        drivers=Drivers(seed=seed, sessions=sessions, drags=drags),
        happenings=into,
    )


def _write_cases(
    *, seed: int, cases: tuple[Case, ...], into: Happenings
) -> tuple[tuple[Label, ...], tuple[Drag, ...]]:
    labels, drags = [], []
    for case in cases:
        rng = np.random.default_rng([seed, 61, case.number])
        before = precursors.precede(case=case, rng=rng, into=into) if case.kind != REMAP else None
        cost = traces.strike(case=case, into=into, rng=rng)
        if cost:
            drags.append(Drag(host=case.host, starts_at=case.at, ends_at=case.ends_at, share=cost))
        labels.append(_label(case, before))
    return tuple(labels), tuple(drags)


def _label(case: Case, before: Precursor | None) -> Label:
    if case.kind == REMAP:
        before = precursors.of_the_remapping_gpu()
    group = "xid" if case.kind in XID_CASES else "remap" if case.kind == REMAP else "non-xid"
    return Label(
        number=case.number,
        group=group,
        kind=case.kind,
        xid=case.xid,
        node=host_name(case.host),
        gpu=case.gpu,
        at=case.at,
        ends_at=case.ends_at,
        precursor=before,
    )


def _vanished(into: Happenings) -> list[Effect]:
    """Take a GPU that is gone out of the sums of its node."""
    summed = tuple(n.name for n in names() if _counts_gpus(n))
    found = []
    for gap in into.gaps:
        if gap.what != "gpu" or gap.host is None:
            continue
        what: tuple[tuple[tuple[str, ...], str, float, int | None], ...] = (
            (summed, "scale", -1.0, gap.gpu),
            (("DCGM_FI_DEV_COUNT",), "set", 7.0, None),
            (_scraped("dcgm-exporter"), "add", -138.0, None),
            (_scraped("all-smi"), "add", -31.0, None),
        )
        found += [
            Effect(
                names=affected,
                hosts=(gap.host,),
                starts_at=gap.starts_at,
                ends_at=gap.ends_at,
                operation=operation,
                amount=amount,
                gpu=gpu,
            )
            for affected, operation, amount, gpu in what
        ]
    return found


def _counts_gpus(name: Name) -> bool:
    is_gpu = name.exporter in {"dcgm-exporter", "all-smi", "nccl-inspector"}
    return is_gpu and name.devices > 1 and name.reduction == "sum" and name.kind != "event"


def _scraped(job: str) -> tuple[str, str]:
    kinds = ("scraped", "post_metric_relabeling")
    one, two = (f'scrape_samples_{kind}{{job="{job}"}}' for kind in kinds)
    return one, two


def _bands(
    *, seed: int, sessions: tuple[Session, ...], cases: tuple[Case, ...]
) -> tuple[Band, ...]:
    """Tell what a scheduler knows: sessions begin and end, nodes are drained. It knows no saves."""
    found = []
    for session in sessions:
        hosts = tuple(map(host_name, session.hosts))
        start, end = session.starts_at, session.ends_at
        found.append(
            Band(kind="start", starts_at=start, ends_at=start + START_BAND_SECONDS, hosts=hosts)
        )
        found.append(Band(kind="stop", starts_at=end, ends_at=end + STOP_BAND_SECONDS, hosts=hosts))
    found += [
        Band(kind="maintenance", starts_at=s, ends_at=e, hosts=tuple(map(host_name, hosts)))
        for s, e, hosts in maintenance.drained(seed=seed)
    ]
    rng = np.random.default_rng([seed, 71])
    for case in cases:
        is_slow = case.kind in DEGRADATIONS
        start = case.ends_at if is_slow else case.at + rng.uniform(5, 45) * MINUTE
        end = case.ends_at + 2 * HOUR if is_slow else case.ends_at
        if start < end:
            name = (host_name(case.host),)
            found.append(Band(kind="maintenance", starts_at=float(start), ends_at=end, hosts=name))
    return tuple(sorted(found, key=lambda band: band.starts_at))
