"""Saves of 60 nodes to one file server, and what may hold them up, with the true answer.

Five kinds: `slots` (the clients' RPC slots are full while the server answers as ever), `server`
(the server is slow), `network` (the way there loses packets), `healthy` (a big save that is just
big) and `lone` (one node alone is slow). Series are mountstats per operation and mount, the file
server's own figures, and the nodes'. A pure function of kind and seed; all of it is simulated.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.census.nfs_series import EXPORTS, SERVER, STEP, Lines, Mounts, nodes, server
from tests.census.queues import SLOTS, WRITE_BYTES, Demand, Flow, Wide, play

CLIENTS = 60
SECONDS = 3 * 3600
START = 1767571200.0
KINDS = ("slots", "server", "network", "healthy", "lone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was really the matter."""

    is_fault: bool
    layer: str | None
    culprit: tuple[str, str] | None  # kind and name: mount, server, link or node
    starts_at: float | None
    ends_at: float | None
    wording: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Storage:
    """Three hours of one kind of trouble, or of none."""

    kind: str
    seed: int
    start: float
    step: float
    hosts: tuple[str, ...]
    lines: tuple[Lines, ...]
    answer: Answer
    simulated: bool = True


def scenes(*, seed: int) -> Iterator[Storage]:
    """Yield one scene of each kind."""
    return (scene(kind=kind, seed=seed) for kind in KINDS)


def scene(*, kind: str, seed: int) -> Storage:
    """Return one scene."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r}: there are {', '.join(KINDS)}")
    return _Scene(kind=kind, seed=seed).told()


class _Scene:
    """Draws a scene, plays its queues and writes its series."""

    def __init__(self, *, kind: str, seed: int) -> None:
        self.kind = kind
        self.seed = seed
        self.rng = np.random.default_rng([seed, KINDS.index(kind), 201])
        self.hosts = tuple(f"gpu{number:03d}" for number in range(1, CLIENTS + 1))
        self.usual = float(self.rng.uniform(0.05, 0.11))  # seconds of a 1 MiB write in a save
        self.onset = int(self.rng.uniform(95, 125) * 60)
        self.until = int(self.onset + self.rng.uniform(20, 45) * 60)
        self.victim = int(self.rng.integers(CLIENTS))
        self.severity = float(self.rng.uniform(0.7, 1.4))

    def told(self) -> Storage:
        flow = play(self._demand())
        self.ended = self._end(flow)
        slowness = self.trouble * (6.0 * self.severity if self.kind == "server" else 0.0)
        lines = (
            *Mounts(hosts=self.hosts, usual=self.usual, rng=self.rng, flow=flow).lines(),
            *nodes(hosts=self.hosts, flow=flow),
            *server(flow=flow, usual=self.usual, slowness=slowness, rng=self.rng),
        )
        return Storage(
            kind=self.kind,
            seed=self.seed,
            start=START,
            step=STEP,
            hosts=self.hosts,
            lines=lines,
            answer=self._answer(),
        )

    def _end(self, flow: Flow) -> int:
        """Return the second at which the trouble is over: of `slots`, when the queues are empty."""
        if self.kind != "slots":
            return self.until
        return int(np.flatnonzero((flow.backlog > SLOTS).sum(axis=0) > CLIENTS / 4)[-1])

    def _demand(self) -> Demand:
        """Two usual saves, then the one that matters; how much each may take is drawn."""
        rng = self.rng
        capacity = SLOTS * WRITE_BYTES / self.usual
        saves = np.zeros(SECONDS)
        begins = (int(rng.uniform(10, 20) * 60), int(rng.uniform(52, 65) * 60), self.onset)
        for number, at in enumerate(begins):
            saves[at : at + 60 * 60 if number == 2 else at + 25 * 60] = number + 1
        share = rng.uniform(0.5, 0.7)
        offered = np.full((CLIENTS, SECONDS), share * capacity)
        offered *= rng.uniform(0.95, 1.05, CLIENTS)[:, None]
        late = np.arange(SECONDS) >= self.onset
        last = {"slots": rng.uniform(1.8, 3.0) * self.severity, "healthy": rng.uniform(0.5, 0.62)}
        offered[:, late] *= last.get(self.kind, share) / share
        offered *= self._flushes()
        wobble = 1 + 0.1 * rng.standard_normal((CLIENTS, SECONDS // 10)).repeat(10, axis=1)
        service = self.usual * np.clip(wobble, 0.5, 2) * self._slowness()
        goal = np.full(CLIENTS, share * capacity * rng.uniform(200, 330))
        larger = {"slots": rng.uniform(4, 7), "healthy": rng.uniform(3, 5)}.get(self.kind, 1.0)
        return Demand(
            offered=offered,
            goal=goal,
            larger=larger,
            saves=saves,
            service=service,
            slots=np.full(CLIENTS, float(SLOTS)),
            limit=float(rng.uniform(1000, 2400)),
            lost=self._lost(),
        )

    def _flushes(self) -> Wide:
        """Return how unevenly a client writes back: spells of a few seconds, seldom in step."""
        spells = self.rng.gamma(9, 1 / 9, (CLIENTS, SECONDS // 4)).repeat(4, axis=1)
        return np.asarray(spells)

    def _troubled(self) -> Wide:
        """Return (seconds,) how much of the trouble there is: 0 before, 1 at its worst."""
        at = np.arange(SECONDS, dtype=np.float64)
        rise = np.clip((at - self.onset) / self.rng.uniform(20, 240), 0, 1)
        fall = np.clip((self.until - at) / 120.0, 0, 1)
        return np.minimum(rise, fall)

    def _slowness(self) -> Wide:
        """Return by how much an answer takes longer than usual, as the client sees it."""
        grown = np.zeros((CLIENTS, SECONDS))
        self.trouble = self._troubled()
        if self.kind == "server":
            grown[:] = self.severity * 6.0 * self.trouble
        if self.kind == "network":
            grown[:] = self.severity * 2.0 * self.trouble
            grown *= self.rng.uniform(0.6, 1.4, CLIENTS)[:, None]
        if self.kind == "lone":
            grown[self.victim] = self.severity * 7.0 * self.trouble
        return 1 + grown

    def _lost(self) -> Wide:
        lost = np.full((CLIENTS, SECONDS), 1e-5)
        if self.kind == "network":
            lost += 0.06 * self.severity * self.trouble
        if self.kind == "lone":
            lost[self.victim] += 0.01 * self.severity * self.trouble
        return lost

    def _answer(self) -> Answer:
        culprits = {
            "slots": ("storage", ("mount", EXPORTS[0])),
            "server": ("storage", ("server", SERVER)),
            "network": ("network", ("link", SERVER)),
            "lone": ("host", ("node", self.hosts[self.victim])),
        }
        wordings = {
            "slots": "consistent with full RPC slots of the clients; the server answers as ever",
            "server": "the server itself answers slowly; the clients queue because of it",
            "network": "requests are sent again on the way to the server; the server is quick",
            "healthy": "a larger save than usual, and nothing else",
            "lone": "one client is slow; all others and the server are as ever",
        }
        layer, culprit = culprits.get(self.kind, (None, None))
        is_fault = self.kind != "healthy"
        return Answer(
            is_fault=is_fault,
            layer=layer,
            culprit=culprit,
            starts_at=START + self.onset if is_fault else None,
            ends_at=START + self.ended if is_fault else None,
            wording=wordings[self.kind],
        )
