"""Who works when: sessions of the cluster and their phases, written around what breaks."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

NODES = 63
GPUS = 8
MAIN_NODES = 60
DAYS = 55
DAY = 86400.0
HOUR = 3600.0
MINUTE = 60.0
START = 1767571200.0  # 5 January 2026, 00:00 UTC
END = START + DAYS * DAY


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """What the processes of one session do for a while."""

    kind: str  # start load train evaluate save stall stop
    starts_at: float
    ends_at: float
    level: float
    session: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A job on some nodes, as the scheduler knows it, and its phases, which it does not know."""

    number: int
    name: str
    hosts: tuple[int, ...]
    starts_at: float
    ends_at: float
    end: str  # planned, error, failure, retry: why it ended
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """When a node is out of work, and whether sessions on it die at its beginning."""

    host: int
    starts_at: float
    ends_at: float
    is_sudden: bool  # sessions die; otherwise they are stopped
    stall_seconds: float = 60.0
    is_wanted: bool = True  # the node is to work in the main session when it happens


@dataclass(slots=True, kw_only=True)
class Life:
    """The sessions of one seed, while they are being laid out."""

    rng: np.random.Generator
    breaks: Sequence[Break]
    windows: Sequence[tuple[float, float]]  # maintenance of the whole cluster
    sessions: list[Session] = field(default_factory=list)
    errors: list[tuple[float, int]] = field(default_factory=list)  # instant, session: the program's

    def lay_out(self) -> None:
        """Write the main session's attempts one after the other, and small ones beside them."""
        at = START - self.rng.uniform(1, 3) * HOUR
        while at < END:
            at = self._after_window(at)
            hosts = self._members(at)
            session, pause = self._main(at, hosts)
            self._small_ones(session, hosts)
            at = session.ends_at + pause
            if session.end in {"failure", "error"} and self.rng.random() < 0.35:
                at = self._retries(at)

    def _after_window(self, at: float) -> float:
        for start, end in self.windows:
            if start - HOUR / 2 <= at < end:
                return end + self.rng.uniform(5, 60) * MINUTE
        return at

    def _is_free(self, host: int, at: float) -> bool:
        return not any(b.host == host and b.starts_at <= at < b.ends_at for b in self.breaks)

    def _members(self, at: float) -> tuple[int, ...]:
        """Choose 60 nodes; those that will break are not left out by chance alone."""
        free = [h for h in range(NODES) if self._is_free(h, at)]
        soon = {b.host for b in self.breaks if b.is_wanted and at <= b.starts_at < at + 4 * DAY}
        order = sorted(free, key=lambda h: (h not in soon, self.rng.random()))
        return tuple(sorted(order[:MAIN_NODES]))

    def _main(self, at: float, hosts: tuple[int, ...]) -> tuple[Session, float]:
        end, why, stall = self._end(at, hosts)
        session = self._session(
            hosts=hosts, at=at, until=end, why=why, stall=stall, name="pretrain-main"
        )
        if why == "error":
            self.errors.append((end, session.number))
        automatic = why in {"failure", "error"} and self.rng.random() < 0.7
        pause = self.rng.uniform(10, 11.5) if automatic else self.rng.uniform(12, 130)
        return session, float(pause) * MINUTE

    def _end(self, at: float, hosts: tuple[int, ...]) -> tuple[float, str, float]:
        """Return when work ends, why, and how long its processes hang then."""
        error = self.rng.random() < 0.5
        drawn = at + HOUR * (0.7 + self.rng.exponential(26.0))
        ends = [(drawn, "error" if error else "planned", self.rng.uniform(5, 100))]
        ends += [
            (b.starts_at, "failure" if b.is_sudden else "planned", b.stall_seconds)
            for b in self.breaks
            if b.host in hosts and b.starts_at > at
        ]
        ends += [(s - self.rng.uniform(6, 25) * MINUTE, "planned", 0.0) for s, _ in self.windows]
        return min(e for e in ends if e[0] > at)

    def _retries(self, at: float) -> float:
        for _ in range(int(self.rng.integers(1, 6))):
            hosts = self._members(at)
            end = at + self.rng.uniform(3.5, 13) * MINUTE
            if any(b.starts_at < end + HOUR and b.ends_at > at - HOUR for b in self.breaks):
                break
            self._session(
                hosts=hosts, at=at, until=end, why="retry", stall=10.0, name="pretrain-main"
            )
            at = self._after_window(end + self.rng.uniform(10, 11.5) * MINUTE)
        return at

    def _session(
        self, *, hosts: tuple[int, ...], at: float, until: float, why: str, stall: float, name: str
    ) -> Session:
        number = len(self.sessions)
        phases = _phases(rng=self.rng, number=number, size=len(hosts), at=at, until=until)
        if why != "planned":
            phases.append(_phase("stall", until, until + stall, 1.0, number))
            until += stall
        tail = float(self.rng.uniform(40, 130))
        phases.append(_phase("stop", until, until + tail, 1.0, number))
        session = Session(
            number=number,
            name=f"{name}-{number:03d}",
            hosts=hosts,
            starts_at=at,
            ends_at=until + tail,
            end=why,
            phases=tuple(phases),
        )
        self.sessions.append(session)
        return session

    def _small_ones(self, main: Session, hosts: tuple[int, ...]) -> None:
        """Fill the nodes beside the main session with small jobs and idle hours."""
        spare = [int(h) for h in self.rng.permutation(sorted(set(range(NODES)) - set(hosts)))]
        while spare:
            size = min(int(self.rng.choice([1, 1, 2, 3])), len(spare))
            group, spare = tuple(sorted(spare[:size])), spare[size:]
            at = main.starts_at + self.rng.uniform(0.2, 3) * HOUR
            while at < main.ends_at - HOUR:
                at = self._small(hosts=group, at=float(at), limit=main.ends_at)

    def _small(self, *, hosts: tuple[int, ...], at: float, limit: float) -> float:
        wanted = at + self.rng.uniform(0.8, 11) * HOUR
        end, why = (
            min(wanted, limit - 5 * MINUTE),
            "planned" if self.rng.random() < 0.8 else "error",
        )
        hits = [b for b in self.breaks if b.host in hosts and b.ends_at > at and b.starts_at < end]
        hits.sort(key=lambda b: b.starts_at)
        if hits and hits[0].starts_at <= at + HOUR / 2:
            return hits[0].ends_at + HOUR
        if hits:
            end, why = hits[0].starts_at, "failure" if hits[0].is_sudden else "planned"
        session = self._session(hosts=hosts, at=at, until=end, why=why, stall=30.0, name="small")
        return session.ends_at + float(self.rng.exponential(2.5)) * HOUR


def _phases(
    *, rng: np.random.Generator, number: int, size: int, at: float, until: float
) -> list[Phase]:
    """Start, load, then train with saves and evaluations between, cut where the work ends."""
    is_large = size > 8
    start = rng.uniform(2, 5) * MINUTE
    load = (rng.uniform(18, 40) if is_large else rng.uniform(1, 7)) * MINUTE
    every = rng.uniform(1.8, 4.5) * HOUR if is_large else rng.uniform(1, 5) * HOUR
    evaluates = rng.random() < 0.4
    work = float(rng.uniform(0.88, 1.0) if is_large else rng.uniform(0.45, 1.0))
    pieces = [("start", start, 1.0), ("load", load, float(rng.uniform(0.75, 1.0)))]
    t = at + start + load
    while t < until:
        run = every * rng.uniform(0.97, 1.03)
        if evaluates and rng.random() < 0.7:
            pieces.append(("train", run * 0.5, work))
            pieces.append(("evaluate", rng.uniform(3, 8) * MINUTE, work))
            pieces.append(("train", run * 0.5, work))
        else:
            pieces.append(("train", run, work))
        if is_large and rng.random() < 0.1:  # something held all ranks up for a moment
            pieces.append(("stall", float(rng.uniform(40, 260)), 1.0))
            pieces.append(("train", 600.0, work))
        save = rng.uniform(3.5, 9) * MINUTE if is_large else rng.uniform(0.7, 4) * MINUTE
        level = rng.uniform(0.8, 1.1) if is_large else rng.uniform(0.2, 0.8)
        pieces.append(("save", save, float(level)))
        t += run + save
    phases, t = [], at
    for kind, seconds, level in pieces:
        if t >= until:
            break
        phases.append(_phase(kind, t, min(t + float(seconds), until), level, number))
        t += float(seconds)
    return phases


def _phase(kind: str, starts_at: float, ends_at: float, level: float, session: int) -> Phase:
    return Phase(
        kind=kind,
        starts_at=float(starts_at),
        ends_at=float(ends_at),
        level=float(level),
        session=session,
    )
