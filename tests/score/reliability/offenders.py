"""R1, R2: how uneven exclusions are, which nodes are lemons, and how soon they fail again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from apps.diagnosis.intervals import bootstrap
from apps.training.offenders.exclusions import Exclusion, concentrations
from apps.training.offenders.hazard import hazards
from apps.training.offenders.lemons import LemonScore, LemonSignal, NodeRecord, lemon_scores
from tests.score.reliability.row import Row, share

NUMBERS = ("R1", "R2")
SEED = 2_2026
BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
NODES = [f"gpu{number:03}" for number in range(63)]
SESSIONS = 224
CAUSES = ("gpu", "network", "unknown")
FLEETS = 100
LEMONS = 5
NodeCounts = tuple[NodeRecord, bool]


def rows() -> Iterator[Row]:
    """Yield the rows of exclusions, lemons and what follows an incident."""
    yield from _of_exclusions()
    yield from _of_lemons()
    yield from _of_hazard()


def exclusions(random: np.random.Generator) -> list[Exclusion]:
    """Return the exclusions of 224 sessions: three nodes have most, the others few."""
    weights = np.array([15.0, 12.0, 10.0, *random.uniform(0.1, 0.6, 60)])
    made = []
    for number in range(SESSIONS):
        size = int(random.integers(0, 4))
        drawn = random.choice(63, size, replace=False, p=weights / weights.sum())
        at = BEGIN + timedelta(hours=7.8 * number)
        for node in drawn.tolist():
            cause = CAUSES[int(random.integers(0, 3))]
            made.append(Exclusion(node=NODES[node], session=f"s{number}", at=at, cause=cause))
    return [made[at] for at in random.permutation(len(made))]


def _of_exclusions() -> Iterator[Row]:
    random = np.random.default_rng(SEED)
    told = exclusions(random)
    every, *by_cause = concentrations([*told, *told[::3]], nodes=NODES)
    yield Row(
        number="R1",
        name="exclusions: share of the three nodes with most",
        value=every.top_share,
        n=every.exclusions,
        interval=every.top_interval,
        at_least=0.5,
    )
    yield Row(
        number="R1",
        name="exclusions: that share, were they spread evenly",
        value=every.even_share,
        n=every.nodes,
        equals=0.048,
        within=0.0005,
    )
    yield Row(
        number="R1",
        name="exclusions: that share, of equal nodes with as many drawn by chance, upper bound",
        value=every.alike_interval[1],
        n=every.exclusions,
    )
    yield Row(
        number="R1",
        name="exclusions: Gini coefficient",
        value=every.gini,
        n=every.exclusions,
        interval=every.gini_interval,
    )
    yield Row(
        number="R1",
        name="exclusions: shares off their count by hand, all and each cause, at most",
        value=max(
            abs(found.top_share - _by_hand(told, found.cause)) for found in (every, *by_cause)
        ),
        n=1 + len(by_cause),
        at_most=1e-9,
    )


def _by_hand(told: Sequence[Exclusion], cause: str | None) -> float:
    counts = Counter(one.node for one in told if cause in {None, one.cause})
    return sum(count for _, count in counts.most_common(3)) / counts.total()


def fleet(random: np.random.Generator) -> list[NodeCounts]:
    """Return the records of 28 days of 63 nodes with whether each is a lemon.

    A lemon fails four to ten times as often in three to five of its six kinds of trouble, and is
    excluded a little more. People exclude any node: some are known by name and left out by habit.
    """
    lemons = set(random.choice(63, LEMONS, replace=False).tolist())
    usual = np.array([0.5, 0.3, 0.4, 0.8, 0.4])  # Xids, tickets, out, multi-node, single-node
    made = []
    for number, node in enumerate(NODES):
        factor = np.ones(len(usual))
        if number in lemons:
            worse = random.choice(len(usual), int(random.integers(3, 6)), replace=False)
            factor[worse] = random.uniform(4.0, 10.0, len(worse))
        counts = random.poisson(usual * factor).tolist()
        habit = random.pareto(1.2) * 2
        excluded = int(random.poisson(habit + (3.0 if number in lemons else 0.0)))
        made.append((_record(random, node, excluded, counts), number in lemons))
    return made


def _record(
    random: np.random.Generator, node: str, excluded: int, counts: Sequence[int]
) -> NodeRecord:
    xids, tickets, taken_out, multi, single = counts
    return NodeRecord(
        node=node,
        excluded_by_jobs=excluded,
        xids=xids,
        tickets=tickets,
        taken_out=taken_out,
        multi_node_failures=multi,
        single_node_failures=single,
        single_node_jobs=single + int(random.integers(10, 40)),
    )


def _of_lemons() -> Iterator[Row]:
    random = np.random.default_rng([SEED, 2])
    fleets = [fleet(random) for _ in range(FLEETS)]
    called = found = 0
    first: list[tuple[float, float]] = []
    for records in fleets:
        lemons = {record.node for record, is_lemon in records if is_lemon}
        scores = lemon_scores(record for record, _ in records)
        said = {one.node for one in scores if one.is_lemon}
        called, found = called + len(said), found + len(said & lemons)
        alone = lemon_scores(
            (record for record, _ in records), signals=[LemonSignal.EXCLUDED_BY_JOBS]
        )
        first.append((_among_first(scores, lemons), _among_first(alone, lemons)))
    yield share("R2", "lemons: called so and one", found, called, at_least=0.85)
    yield share("R2", "lemons: one and called so", found, FLEETS * LEMONS, at_least=0.85)
    shares = np.array(first)
    for at, name in enumerate(("by seven signals", "by exclusions alone")):
        yield Row(
            number="R2",
            name=f"lemons: share of the five that stand first {name}",
            value=float(shares[:, at].mean()),
            n=FLEETS,
            interval=_of_mean(shares[:, at].tolist()),
        )
    apart = (shares[:, 0] - shares[:, 1]).tolist()
    yield Row(
        number="R2",
        name="lemons: by how much exclusions alone are worse",
        value=float(np.mean(apart)),
        n=FLEETS,
        interval=_of_mean(apart),
        at_least=0.1,
    )


def _among_first(scores: Sequence[LemonScore], lemons: set[str]) -> float:
    return len({one.node for one in scores[:LEMONS]} & lemons) / LEMONS


def _of_mean(values: Sequence[float]) -> tuple[float, float]:
    every = np.array(values)
    return bootstrap(lambda pick: float(every[pick].mean()), len(every))


def _of_hazard() -> Iterator[Row]:
    """Yield how well a time to the next incident that halves with each one is found again."""
    random = np.random.default_rng([SEED, 3])
    days = 2000
    incidents = {}
    for number in range(2000):
        at = 0.0
        told: list[datetime] = []
        while at < days:
            at += float(random.exponential(400 / 2 ** min(len(told), 4)))
            told.append(BEGIN + timedelta(days=at))
        incidents[str(number)] = [*told, *told]
    found = hazards(incidents, starts_at=BEGIN, ends_at=BEGIN + timedelta(days=days), last_index=4)
    for hazard in found[:4]:
        low, high = hazard.mean_days_interval
        mean = 400 / 2**hazard.index
        yield Row(
            number="R2",
            name=f"days to the next incident after {hazard.index} before it",
            value=hazard.mean_days or 0.0,
            n=hazard.next_incidents.count,
            interval=(low, high or float("inf")),
            equals=mean,
            within=0.05 * mean,
        )
