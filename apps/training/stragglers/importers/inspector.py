"""NCCL Inspector's lines (one collective of one rank each) → who comes last, and a step trace.

Who comes last to a collective sits in it for the shortest: the others wait for it. That needs no
clocks that agree.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from apps.training.stragglers.importers.rank_steps import RankStep, trace_of_rank_steps
from apps.training.stragglers.step_trace import BadTrace, StepTrace

MICROSECOND: Final = 1e-6
# From this share of what a collective lasted on, others waited for its last member.
LEAST_WAIT: Final = 0.1
LATE_SHARE: Final = 0.5
MOST_NUMBER: Final = 2**64  # the Inspector prints no number of more bits


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveTiming:
    """One collective on one rank; begin and end only where the Inspector traced its events."""

    communicator: str
    collective: str
    sequence: int
    rank: int
    rank_count: int
    host: str
    seconds: float
    message_bytes: int
    begun_seconds: float | None = None  # since the epoch, by the host's clock
    ended_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LateMember:
    """How often the others of a communicator waited for one rank, and for how long."""

    communicator: str
    rank: int
    host: str
    collective_count: int
    last_count: int
    waited_seconds: float  # mean of what the rank next to it waited, over all collectives

    @property
    def last_share(self) -> float:
        """Return in which share of the collectives the others waited for it."""
        return self.last_count / self.collective_count

    @property
    def is_late(self) -> bool:
        """Say whether the others wait for it most of the time."""
        return self.last_share >= LATE_SHARE


def read_inspector(*, name: str, lines: Iterable[str]) -> tuple[CollectiveTiming, ...]:
    """Return the collectives of one file; raises BadTrace that names the line and what it lacks."""
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_timing(json.loads(line)))
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise BadTrace(f"{name}: line {number}: {_reason(error)}") from error
    if not found:
        raise BadTrace(f"{name}: no lines of the NCCL Inspector")
    return tuple(found)


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"no {error.args[0]}"
    return "no JSON" if isinstance(error, json.JSONDecodeError) else str(error)


def _timing(told: Any) -> CollectiveTiming:
    if not isinstance(told, Mapping):
        raise ValueError("no object")  # noqa: TRY004  caught with the line's number
    header, measured = _part(told, "header"), _part(told, "coll_perf")
    begun, ended = _kernel_times(measured.get("event_trace_ts"))
    host = told["metadata"].get("hostname", "") if isinstance(told.get("metadata"), Mapping) else ""
    return CollectiveTiming(
        communicator=str(header["id"]),
        collective=str(measured["coll"]),
        sequence=_whole(measured, "coll_sn"),
        rank=_whole(header, "rank"),
        rank_count=_whole(header, "n_ranks"),
        host=str(host),
        seconds=_whole(measured, "coll_exec_time_us") * MICROSECOND,
        message_bytes=_whole(measured, "coll_msg_size_bytes"),
        begun_seconds=begun,
        ended_seconds=ended,
    )


def _part(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = told[name]
    if not isinstance(part, Mapping):
        raise ValueError(f"{name} is no object")  # noqa: TRY004  caught with the line's number
    return part


def _whole(told: Mapping[str, Any], name: str) -> int:
    number = told[name]
    if not isinstance(number, int) or isinstance(number, bool):
        raise ValueError(f"{name} is no whole number from 0")  # noqa: TRY004  caught as above
    if not 0 <= number < MOST_NUMBER:
        raise ValueError(f"{name} is no whole number from 0 of 64 bits")
    return number


def _kernel_times(told: Any) -> tuple[float | None, float | None]:
    """Return when the first channel began and the last ended; None where no event was traced."""
    events = told.get("kernel_events") if isinstance(told, Mapping) else None
    if not isinstance(events, list) or not events:
        return None, None
    begun = [_whole(each, "kernel_start_ts") for each in events]
    ended = [_whole(each, "kernel_stop_ts") for each in events]
    return min(begun) * MICROSECOND, max(ended) * MICROSECOND


def late_members(timings: Iterable[CollectiveTiming]) -> tuple[LateMember, ...]:
    """Return how often each rank came last, the most often first; from timings in any order."""
    together: dict[tuple[str, str, int], list[CollectiveTiming]] = defaultdict(list)
    for each in set(timings):
        together[each.communicator, each.collective, each.sequence].append(each)
    met: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    for members in together.values():
        if len(members) < 2:
            continue
        ordered = sorted(members, key=lambda each: (each.seconds, each.rank))
        waited = ordered[1].seconds - ordered[0].seconds
        is_waited_for = waited >= LEAST_WAIT * ordered[1].seconds > 0
        for each in ordered:
            caused = waited if is_waited_for and each is ordered[0] else 0.0
            met[each.communicator, each.rank, each.host].append(caused)
    found = [_member(key, waits) for key, waits in met.items()]
    return tuple(sorted(found, key=lambda each: (-each.last_share, each.communicator, each.rank)))


def _member(key: tuple[str, int, str], waits: Sequence[float]) -> LateMember:
    communicator, rank, host = key
    return LateMember(
        communicator=communicator,
        rank=rank,
        host=host,
        collective_count=len(waits),
        last_count=int(np.count_nonzero(waits)),
        waited_seconds=float(np.mean(waits)),
    )


def trace_of_inspector(timings: Iterable[CollectiveTiming]) -> StepTrace:
    """Return collective by collective of the largest communicator as steps.

    Raises BadTrace where no begin and end is told (NCCL_INSPECTOR_DUMP_VERBOSE=1 tells them).
    """
    told = set(timings)
    largest = max(told, key=lambda each: (each.rank_count, each.communicator), default=None)
    mine = [each for each in told if largest and each.communicator == largest.communicator]
    rows = list(_rank_steps(mine))
    if not rows:
        raise BadTrace("no begin and end of collectives: set NCCL_INSPECTOR_DUMP_VERBOSE=1")
    return trace_of_rank_steps(rows)


def _rank_steps(timings: Sequence[CollectiveTiming]) -> Iterator[RankStep]:
    """What lies between two collectives of a rank is what it computed."""
    ended: dict[int, float] = {}
    for each in sorted(timings, key=lambda each: (each.begun_seconds or 0.0, each.rank)):
        if each.begun_seconds is None or each.ended_seconds is None:
            continue
        former = ended.get(each.rank)
        ended[each.rank] = each.ended_seconds
        if former is not None and each.begun_seconds >= former:
            computing, waiting = (
                each.begun_seconds - former,
                each.ended_seconds - each.begun_seconds,
            )
            yield RankStep(
                rank=each.rank,
                step=each.sequence,
                step_seconds=computing + waiting,
                computing_seconds=computing,
                collective_seconds=waiting,
            )
