"""How much of all exclusions few nodes have: shares of the most excluded, Gini, Lorenz."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.intervals import ROUNDS, TAIL
from apps.diagnosis.stats import Floats

TOP = 3
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A node was left out of a session, by whoever and for whatever cause somebody gave."""

    node: str
    session: str
    at: datetime
    cause: str = ""
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Concentration:
    """How unevenly exclusions lie on the nodes of a fleet, those without any included.

    `top_share` is that of the `top` most excluded nodes. Were all nodes alike, it would in the
    long run be `even_share`; few exclusions are never spread evenly: `alike_interval` holds 95 % of
    what equal nodes would show with as many. `lorenz` are points (share of nodes, share of
    exclusions), the least excluded first.
    """

    cause: str | None  # None: of any
    exclusions: int
    nodes: int
    top: int
    top_nodes: tuple[tuple[str, int], ...]
    top_share: float
    top_interval: tuple[float, float]
    even_share: float
    alike_interval: tuple[float, float]
    gini: float
    gini_interval: tuple[float, float]
    lorenz: tuple[tuple[float, float], ...]

    @property
    def is_uneven(self) -> bool:
        """Say whether equal nodes would hardly show so much."""
        return self.top_share > self.alike_interval[1]


def concentrations(
    exclusions: Iterable[Exclusion], *, nodes: Iterable[str], top: int = TOP
) -> list[Concentration]:
    """Return how uneven exclusions are: of any cause first, then of each, most frequent first.

    An exclusion counts once for a node and session, where nobody names one for its instant; nodes
    that nobody lists are added.
    """
    told = sorted({(one.node, one.session or one.at.isoformat(), one.cause) for one in exclusions})
    fleet = sorted({*nodes, *(node for node, *_ in told)})
    every = sorted({(node, session) for node, session, _ in told})
    if not every:
        return []
    causes = Counter(cause for *_, cause in told if cause)
    by_cause = sorted(causes, key=lambda cause: (-causes[cause], cause))
    first = _concentration(None, [node for node, _ in every], fleet, top)
    return [
        first,
        *(
            _concentration(cause, [node for node, _, why in told if why == cause], fleet, top)
            for cause in by_cause
        ),
    ]


def _concentration(
    cause: str | None, excluded: Sequence[str], fleet: Sequence[str], top: int
) -> Concentration:
    place = {node: at for at, node in enumerate(fleet)}
    drawn = np.array([place[node] for node in excluded], dtype=np.int64)
    size = len(fleet)
    counts = np.bincount(drawn, minlength=size)
    again = _drawn_again(drawn, size)
    most = sorted(range(size), key=lambda at: (-counts[at], fleet[at]))[:top]
    return Concentration(
        cause=cause,
        exclusions=len(drawn),
        nodes=size,
        top=top,
        top_nodes=tuple((fleet[at], int(counts[at])) for at in most if counts[at]),
        top_share=top_share(counts, top),
        top_interval=_interval(top_share(counts, top), _top_shares(again, top)),
        even_share=min(1.0, top / size),
        alike_interval=_alike(len(drawn), size, top),
        gini=gini(counts),
        gini_interval=_interval(gini(counts), _ginis(again)),
        lorenz=_lorenz(counts),
    )


def top_share(counts: Counts, top: int) -> float:
    """Return the share of all that the highest so many counts have."""
    return float(_top_shares(np.sort(counts)[np.newaxis], top)[0])


def gini(counts: Counts) -> float:
    """Return the Gini coefficient: 0 where all are alike, near 1 where one has all."""
    return float(_ginis(np.sort(counts)[np.newaxis])[0])


def _top_shares(ordered: Counts, top: int) -> Floats:
    """Return the share of the highest of each row; rows are in rising order."""
    shares: Floats = ordered[:, max(0, ordered.shape[1] - top) :].sum(axis=1) / ordered.sum(axis=1)
    return shares


def _ginis(ordered: Counts) -> Floats:
    size = ordered.shape[1]
    weights = 2 * np.arange(1, size + 1) - size - 1
    found: Floats = (weights * ordered).sum(axis=1) / (size * ordered.sum(axis=1))
    return found


def _drawn_again(drawn: Counts, size: int) -> Counts:
    """Return counts of a bootstrap, a row a round in rising order: all rounds at once."""
    random = np.random.default_rng(0)
    picks = drawn[random.integers(0, len(drawn), size=(ROUNDS, len(drawn)))]
    places = picks + size * np.arange(ROUNDS)[:, np.newaxis]
    counts = np.bincount(places.ravel(), minlength=ROUNDS * size).reshape(ROUNDS, size)
    return np.sort(counts, axis=1)


def _interval(value: float, drawn: Floats) -> tuple[float, float]:
    """Return the bootstrap interval of a score of counts, about the score itself.

    Drawing again makes counts more uneven than they were: what that adds is taken off.
    """
    low, high = np.quantile(drawn, (TAIL, 1 - TAIL)).tolist()
    half = (high - low) / 2
    return max(0.0, value - half), min(1.0, value + half)


def _alike(exclusions: int, nodes: int, top: int) -> tuple[float, float]:
    random = np.random.default_rng(0)
    drawn = random.multinomial(exclusions, np.full(nodes, 1 / nodes), ROUNDS)
    low, high = np.quantile(_top_shares(np.sort(drawn, axis=1), top), (TAIL, 1 - TAIL)).tolist()
    return low, high


def _lorenz(counts: Counts) -> tuple[tuple[float, float], ...]:
    ordered = np.cumsum(np.sort(counts))
    size = len(ordered)
    points = ((at / size, float(done / ordered[-1])) for at, done in enumerate(ordered, 1))
    return ((0.0, 0.0), *points)
