"""Where NFS requests spend their time: in the client's queue, or with the server.

From the counters of mountstats, node by node and operation by operation.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

ALERT_SHARE: Final = 0.9
ALERT_REQUESTS_PER_SECOND: Final = 10.0
ALERT_SECONDS: Final = 15 * 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RpcCounters:
    """What a node's mount counted of one operation since it was mounted, at one instant."""

    node: str
    operation: str
    at_seconds: float
    requests: float
    queue_seconds: float
    response_seconds: float
    request_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueShare:
    """One operation of one node over some time."""

    node: str
    operation: str
    begins_seconds: float
    ends_seconds: float
    requests: float
    queue_seconds: float
    response_seconds: float
    request_seconds: float

    @property
    def share(self) -> float | None:
        """Return which share of the requests' time is queueing; None without requests."""
        return self.queue_seconds / self.request_seconds if self.request_seconds > 0 else None

    @property
    def requests_per_second(self) -> float:
        """Return how many requests ended a second."""
        return self.requests / (self.ends_seconds - self.begins_seconds)

    @property
    def mean_request_seconds(self) -> float | None:
        """Return how long a request took in all; None without requests."""
        return self.request_seconds / self.requests if self.requests else None

    @property
    def is_dominant(self) -> bool:
        """Say whether nearly all of the time is queueing, of enough requests."""
        is_busy = self.requests_per_second > ALERT_REQUESTS_PER_SECOND
        return is_busy and self.share is not None and self.share > ALERT_SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueAlert:
    """An operation of a node whose requests only queued, for a quarter of an hour or longer."""

    node: str
    operation: str
    begins_seconds: float
    ends_seconds: float
    share: float


def queue_shares(rows: Iterable[RpcCounters]) -> tuple[QueueShare, ...]:
    """Return the share of each node and operation over all of its rows; in any order, also twice.

    A counter that fell was reset with its mount: what it shows then is what it counted since.
    """
    return tuple(_together(intervals) for intervals in _intervals(rows))


def queue_alerts(rows: Iterable[RpcCounters]) -> tuple[QueueAlert, ...]:
    """Return the spans of 15 minutes and more in which queueing dominated each interval."""
    found = []
    for intervals in _intervals(rows):
        for run in _runs(intervals):
            whole = _together(run)
            if whole.ends_seconds - whole.begins_seconds >= ALERT_SECONDS:
                found.append(
                    QueueAlert(
                        node=whole.node,
                        operation=whole.operation,
                        begins_seconds=whole.begins_seconds,
                        ends_seconds=whole.ends_seconds,
                        share=whole.share or 0.0,
                    )
                )
    return tuple(found)


def _intervals(rows: Iterable[RpcCounters]) -> Iterator[list[QueueShare]]:
    """Yield what lies between the rows of each node and operation."""
    by_part: dict[tuple[str, str], dict[float, RpcCounters]] = defaultdict(dict)
    for each in sorted(set(rows), key=lambda each: (each.node, each.operation, each.requests)):
        by_part[each.node, each.operation][each.at_seconds] = each
    for held in by_part.values():
        ordered = [held[at] for at in sorted(held)]
        if len(ordered) > 1:
            yield [_between(former, later) for former, later in pairwise(ordered)]


def _between(former: RpcCounters, later: RpcCounters) -> QueueShare:
    is_reset = later.requests < former.requests or later.request_seconds < former.request_seconds
    base = 0.0 if is_reset else 1.0
    return QueueShare(
        node=later.node,
        operation=later.operation,
        begins_seconds=former.at_seconds,
        ends_seconds=later.at_seconds,
        requests=later.requests - base * former.requests,
        queue_seconds=later.queue_seconds - base * former.queue_seconds,
        response_seconds=later.response_seconds - base * former.response_seconds,
        request_seconds=later.request_seconds - base * former.request_seconds,
    )


def _together(intervals: Sequence[QueueShare]) -> QueueShare:
    first, last = intervals[0], intervals[-1]
    return QueueShare(
        node=first.node,
        operation=first.operation,
        begins_seconds=first.begins_seconds,
        ends_seconds=last.ends_seconds,
        requests=sum(each.requests for each in intervals),
        queue_seconds=sum(each.queue_seconds for each in intervals),
        response_seconds=sum(each.response_seconds for each in intervals),
        request_seconds=sum(each.request_seconds for each in intervals),
    )


def _runs(intervals: Sequence[QueueShare]) -> Iterator[list[QueueShare]]:
    run: list[QueueShare] = []
    for each in intervals:
        if each.is_dominant:
            run.append(each)
        elif run:
            yield run
            run = []
    if run:
        yield run
