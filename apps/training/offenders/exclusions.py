"""How much of all exclusions few nodes have: shares of the most excluded, Gini, Lorenz."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.intervals import ROUNDS, bootstrap
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
    most = sorted(range(size), key=lambda at: (-counts[at], fleet[at]))[:top]
    return Concentration(
        cause=cause,
        exclusions=len(drawn),
        nodes=size,
        top=top,
        top_nodes=tuple((fleet[at], int(counts[at])) for at in most if counts[at]),
        top_share=top_share(counts, top),
        top_interval=_interval(drawn, size, lambda some: top_share(some, top)),
        even_share=min(1.0, top / size),
        alike_interval=_alike(len(drawn), size, top),
        gini=gini(counts),
        gini_interval=_interval(drawn, size, gini),
        lorenz=_lorenz(counts),
    )


def top_share(counts: Counts, top: int) -> float:
    """Return the share of all that the highest so many counts have."""
    return float(np.sort(counts)[::-1][:top].sum() / counts.sum())


def gini(counts: Counts) -> float:
    """Return the Gini coefficient: 0 where all are alike, near 1 where one has all."""
    ordered = np.sort(counts)
    rank = np.arange(1, len(ordered) + 1)
    return float(((2 * rank - len(ordered) - 1) * ordered).sum() / (len(ordered) * ordered.sum()))


def _interval(drawn: Counts, size: int, score: Callable[[Counts], float]) -> tuple[float, float]:
    """Return the bootstrap interval of a score of counts, about the score itself.

    Drawing again makes counts more uneven than they were: what that adds is taken off.
    """
    low, high = bootstrap(lambda pick: score(np.bincount(drawn[pick], minlength=size)), len(drawn))
    value = score(np.bincount(drawn, minlength=size))
    half = (high - low) / 2
    return max(0.0, value - half), min(1.0, value + half)


def _alike(exclusions: int, nodes: int, top: int) -> tuple[float, float]:
    random = np.random.default_rng(0)
    drawn: Floats = np.array(
        [
            top_share(counts, top)
            for counts in random.multinomial(exclusions, np.full(nodes, 1 / nodes), ROUNDS)
        ]
    )
    low, high = np.quantile(drawn, (0.025, 0.975)).tolist()
    return low, high


def _lorenz(counts: Counts) -> tuple[tuple[float, float], ...]:
    ordered = np.cumsum(np.sort(counts))
    size = len(ordered)
    points = ((at / size, float(done / ordered[-1])) for at, done in enumerate(ordered, 1))
    return ((0.0, 0.0), *points)
