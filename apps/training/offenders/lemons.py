"""Lemons: nodes that fail more than a fleet's nodes do, by seven signals over 28 days.

The signals are those of Meta's lemon detection (arXiv:2410.21680). Exclusions count least: there
they went together with failures of nodes but little, since people leave a node out for many
reasons. How much each signal weighs is ours.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

import numpy as np

from apps.diagnosis.stats import Floats

WINDOW = timedelta(days=28)
# From here on a node is called a lemon. Set on simulated fleets of 63 nodes with 5 lemons, where
# nine of ten that are called so are lemons and nine of ten lemons are called so.
LEMON = 5.0
# One signal alone, however loud, is worth no more: a flood of one message is one fault.
MOST_OF_ONE = 3.0
# A single event of a rare kind is an accident.
LEAST_USUAL = 0.3


class LemonSignal(StrEnum):
    """What is counted of a node within the window."""

    EXCLUDED_BY_JOBS = "excluded-by-jobs"
    XIDS = "xids"
    TICKETS = "tickets"
    TAKEN_OUT = "taken-out"
    MULTI_NODE_FAILURES = "multi-node-failures"
    SINGLE_NODE_FAILURES = "single-node-failures"
    SINGLE_NODE_FAILURE_RATE = "single-node-failure-rate"


WEIGHTS: Mapping[LemonSignal, float] = {
    LemonSignal.EXCLUDED_BY_JOBS: 0.3,
    LemonSignal.XIDS: 1.0,
    LemonSignal.TICKETS: 1.0,
    LemonSignal.TAKEN_OUT: 1.0,
    LemonSignal.MULTI_NODE_FAILURES: 0.7,
    LemonSignal.SINGLE_NODE_FAILURES: 1.0,
    LemonSignal.SINGLE_NODE_FAILURE_RATE: 0.7,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRecord:
    """What became of a node within the window: six counts, and the single-node jobs it ran."""

    node: str
    excluded_by_jobs: int = 0
    xids: int = 0
    tickets: int = 0
    taken_out: int = 0
    multi_node_failures: int = 0
    single_node_failures: int = 0
    single_node_jobs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalShare:
    """What one signal adds to a node's score, beside what is usual in the fleet.

    Both numbers are None of a signal that nobody could count: it adds nothing.
    """

    signal: LemonSignal
    value: float | None
    usual: float | None
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LemonScore:
    """A node's score: what its signals add up to, the loudest first."""

    node: str
    signals: tuple[SignalShare, ...]

    @property
    def score(self) -> float:
        """Return the sum; a node like all others is near 0."""
        return math.fsum(each.score for each in self.signals)

    @property
    def is_lemon(self) -> bool:
        """Say whether it should be looked at before it is used again."""
        return self.score >= LEMON


def lemon_scores(
    records: Iterable[NodeRecord],
    *,
    signals: Iterable[LemonSignal] = tuple(LemonSignal),
    unknown: Collection[LemonSignal] = (),
) -> list[LemonScore]:
    """Return the scores of a fleet's nodes, highest first, by the signals that are asked for.

    Those of `unknown` are named without a number.
    """
    told: dict[str, NodeRecord] = {}
    for record in sorted(set(records), key=repr):
        told[record.node] = record
    nodes = [told[name] for name in sorted(told)]
    shares: dict[str, list[SignalShare]] = {name: [] for name in told}
    for signal in sorted(set(signals)):
        absent = SignalShare(signal=signal, value=None, usual=None, score=0.0)
        told_of = [absent] * len(nodes) if signal in unknown else _shares(signal, nodes)
        for record, share in zip(nodes, told_of, strict=True):
            shares[record.node].append(share)
    scores = [
        LemonScore(node=name, signals=tuple(sorted(some, key=lambda one: (-one.score, one.signal))))
        for name, some in shares.items()
    ]
    return sorted(scores, key=lambda one: (-one.score, one.node))


def _shares(signal: LemonSignal, nodes: Sequence[NodeRecord]) -> list[SignalShare]:
    """Return what a signal adds to each node.

    A count is judged by how seldom a usual node has so many; of a rate, failures among the jobs.
    """
    counts = np.array([_count(record, signal) for record in nodes], dtype=np.float64)
    exposure = np.array([_exposure(record, signal) for record in nodes], dtype=np.float64)
    usual = _usual(counts, exposure)
    return [
        SignalShare(
            signal=signal,
            value=float(count / exposed if exposed else 0.0),
            usual=usual,
            score=WEIGHTS[signal] * _seldom(int(count), usual * exposed),
        )
        for count, exposed in zip(counts.tolist(), exposure.tolist(), strict=True)
    ]


def _usual(counts: Floats, exposure: Floats) -> float:
    """Return what a node has that is no lemon: the mean without the highest tenth."""
    if not exposure.sum():
        return 0.0
    rates = np.divide(counts, exposure, out=np.zeros_like(counts), where=exposure > 0)
    kept = np.argsort(rates, kind="stable")[: max(1, math.ceil(0.9 * len(rates)))]
    return float(counts[kept].sum() / max(exposure[kept].sum(), 1e-9))


def _seldom(count: int, usual: float) -> float:
    """Return the decimal digits by which it is seldom that a usual node has so many."""
    if count <= 0:
        return 0.0
    mean = max(usual, LEAST_USUAL)
    below = math.fsum(
        math.exp(each * math.log(mean) - mean - math.lgamma(each + 1)) for each in range(count)
    )
    return min(MOST_OF_ONE, -math.log10(max(1.0 - below, 10**-MOST_OF_ONE)))


COUNTS: Mapping[LemonSignal, Callable[[NodeRecord], int]] = {
    LemonSignal.EXCLUDED_BY_JOBS: lambda record: record.excluded_by_jobs,
    LemonSignal.XIDS: lambda record: record.xids,
    LemonSignal.TICKETS: lambda record: record.tickets,
    LemonSignal.TAKEN_OUT: lambda record: record.taken_out,
    LemonSignal.MULTI_NODE_FAILURES: lambda record: record.multi_node_failures,
    LemonSignal.SINGLE_NODE_FAILURES: lambda record: record.single_node_failures,
    LemonSignal.SINGLE_NODE_FAILURE_RATE: lambda record: record.single_node_failures,
}


def _count(record: NodeRecord, signal: LemonSignal) -> int:
    return COUNTS[signal](record)


def _exposure(record: NodeRecord, signal: LemonSignal) -> float:
    is_rate = signal is LemonSignal.SINGLE_NODE_FAILURE_RATE
    return float(record.single_node_jobs) if is_rate else 1.0
