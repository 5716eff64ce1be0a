"""The labelled failures: what breaks on which node and GPU, when, and what was seen before."""

from dataclasses import dataclass, replace

import numpy as np

from tests.census.life import DAY, END, GPUS, HOUR, MINUTE, NODES, START, Break

XID_CASES = ("nvlink",) * 5 + ("ecc",) * 2 + ("off-bus",) * 2 + ("gsp",)
SILENT_CASES = ("unreachable",) * 2
DEGRADATIONS = ("thermal", "pcie", "rail", "memory", "nvme", "power-cap", "nfs-client", "cpu")
DEGRADATION_COUNT = 5
REMAP = "remap"
HIT_NODES = 13  # that had the 17 failures
MOST_PRECURSORS = 6  # of the ten Xid cases
_XIDS = {"ecc": 94, "off-bus": 79, "gsp": 119}
STRENGTHS = ("obvious", "plain", "subtle")


@dataclass(frozen=True, slots=True, kw_only=True)
class Precursor:
    """What really went before a failure, and since when."""

    what: str
    starts_at: float
    names: tuple[str, ...]
    strength: str  # obvious, plain or subtle, as drawn; nobody measured it against a detector


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One failure as an operator would write it down afterwards."""

    number: int
    group: str  # xid (10), non-xid (7), or remap: the one that is listed beside them
    kind: str
    xid: int | None
    node: str
    gpu: int | None
    at: float
    ends_at: float  # back in service; of a degradation: when it was over
    precursor: Precursor | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A failure before its traces are written."""

    number: int
    kind: str
    xid: int | None
    host: int
    gpu: int | None
    at: float
    ends_at: float
    repair: str  # reset, boot, exchange: what brought it back
    stall_seconds: float
    precursor: str | None = None  # the strength, when something goes before it
    is_wanted: bool = True


def host_name(host: int) -> str:
    """Return the name of a node."""
    return f"gpu{host + 1:03d}"


def draw_cases(*, seed: int) -> tuple[Case, ...]:
    """Return the 17 cases in the order they happen, and the remapping GPU as the last one."""
    rng = np.random.default_rng([seed, 21])
    degradations = rng.permutation(DEGRADATIONS)[:DEGRADATION_COUNT].tolist()
    kinds = rng.permutation([*XID_CASES, *SILENT_CASES, *degradations]).tolist()
    times = _times(rng=rng, count=len(kinds))
    hosts = _hosts(rng=rng, times=times)
    strengths = _strengths(rng=rng, kinds=kinds)
    codes = rng.permutation([145, 149, *rng.choice([145, 149], 3).tolist()]).tolist()
    xids = [codes.pop() if kind == "nvlink" else _XIDS.get(kind) for kind in kinds]
    cases = [
        replace(_case(rng=rng, kind=k, host=int(h), at=float(t), strength=s), number=i + 1, xid=x)
        for i, (k, h, t, s, x) in enumerate(zip(kinds, hosts, times, strengths, xids, strict=True))
    ]
    others = sorted(set(range(NODES)) - set(hosts.tolist()))
    at = END - rng.uniform(0.5, 3.0) * DAY
    return (*cases, _remap(rng=rng, host=int(rng.choice(others)), at=float(at)))


def breaks(cases: tuple[Case, ...]) -> list[Break]:
    """Return when nodes are out of work: from a failure, or from the end of a degradation."""
    found = []
    for case in cases:
        is_slow = case.kind in DEGRADATIONS
        found.append(
            Break(
                host=case.host,
                starts_at=case.ends_at if is_slow else case.at,
                ends_at=case.ends_at + 2 * HOUR if is_slow else case.ends_at,
                is_sudden=not is_slow,
                stall_seconds=case.stall_seconds,
                is_wanted=case.is_wanted,
            )
        )
    return found


def _times(*, rng: np.random.Generator, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Spread over the weeks at random, but not two within eight hours."""
    room = (END - 1.2 * DAY) - (START + 1.5 * DAY) - count * 8 * HOUR
    return START + 1.5 * DAY + np.sort(rng.uniform(0, room, count)) + np.arange(count) * 8 * HOUR


def _hosts(
    *, rng: np.random.Generator, times: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Give three nodes more than their share; the same node breaks at most once in four days."""
    chosen = rng.choice(NODES, HIT_NODES, replace=False)
    crowd = np.concatenate([chosen, chosen[:1], chosen[:1], chosen[1:2], chosen[2:3]])
    while True:
        hosts = rng.permutation(crowd)
        if all(np.diff(times[hosts == host]).min(initial=9 * DAY) > 4 * DAY for host in chosen[:3]):
            return hosts


def _strengths(*, rng: np.random.Generator, kinds: list[str]) -> list[str | None]:
    """Choose which cases are preceded by anything: three to six of the Xid ones."""
    xid = [i for i, kind in enumerate(kinds) if kind in XID_CASES]
    count = int(rng.integers(3, MOST_PRECURSORS + 1))
    preceded = set(rng.permutation(xid)[:count].tolist())
    silent = [i for i, kind in enumerate(kinds) if kind in SILENT_CASES]
    if rng.random() < 0.5:
        preceded.add(int(rng.choice(silent)))
    drawn = rng.choice(STRENGTHS, len(kinds), p=(0.4, 0.35, 0.25)).tolist()
    return [drawn[i] if i in preceded else None for i in range(len(kinds))]


def _case(
    *, rng: np.random.Generator, kind: str, host: int, at: float, strength: str | None
) -> Case:
    stall, repair, hours = _course(rng=rng, kind=kind)
    has_gpu = kind in {*XID_CASES, "thermal", "pcie", "power-cap"}
    return Case(
        number=0,
        kind=kind,
        xid=None,
        host=host,
        gpu=int(rng.integers(GPUS)) if has_gpu else None,
        at=at,
        ends_at=min(at + hours * HOUR, END - HOUR),
        repair=repair,
        stall_seconds=stall * MINUTE,
        precursor=strength,
        is_wanted=bool(rng.random() < 0.93),
    )


def _course(*, rng: np.random.Generator, kind: str) -> tuple[float, str, float]:
    """Return minutes that the session hangs, what repairs it, and hours until then."""
    hang, quick = float(rng.uniform(8.0, 12.0)), float(rng.uniform(0.3, 2.0))
    courses: dict[str, tuple[float, tuple[str, ...], tuple[float, float]]] = {
        "nvlink": (hang if rng.random() < 0.6 else quick, ("reset",), (0.7, 4)),
        "ecc": (quick, ("reset", "exchange"), (1, 14)),
        "off-bus": (float(rng.uniform(0.8, 11)), ("boot", "exchange"), (1, 30)),
        "gsp": (hang, ("reset",), (1, 5)),
        "unreachable": (hang, ("boot",), (2, 30)),
    }
    stall, repairs, (low, high) = courses.get(kind, (0.0, ("none", "boot"), (4, 60)))
    spread = np.exp(rng.uniform(np.log(low), np.log(high)))
    return stall, str(rng.choice(repairs)), float(spread)


def _remap(*, rng: np.random.Generator, host: int, at: float) -> Case:
    return Case(
        number=18,
        kind=REMAP,
        xid=None,
        host=host,
        gpu=int(rng.integers(GPUS)),
        at=at,
        ends_at=END,
        repair="none",
        stall_seconds=float(rng.uniform(1, 11)) * MINUTE,
        precursor="plain",
    )
