"""Whose process a fault in a kernel's log names, by what the session's logs say of processes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.failure_tables import EXIT_ROWS, exit_rank
from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Event, Role, Stream
from apps.diagnosis.observed import Instant, canonical, rank_of, struck_process

# Faults that end the process whose number they print.
ENDING = frozenset({"48", "94", "95"})

Seats = Mapping[int, set[tuple[int, str | None]]]


def struck_ranks(
    *, events: Sequence[Event], instant: Instant | None, aliases: Mapping[str, str]
) -> set[int]:
    """Return the ranks whose processes a fault ended that no failure of the session came before.

    Of a process that several hosts have, the one of the kernel's host is meant.
    """
    faults = [event for event in events if _is_fault(event)]
    if not faults:
        return set()
    seats = _seats(events, aliases)
    struck = [(event, rank) for event in faults for rank in _ranks(event, seats, aliases)]
    if instant is None:
        return {rank for _, rank in struck}
    begun = _first(instant(event) for event, _ in struck)
    failed = _first(instant(event) for event in events if event.signature in EXIT_ROWS)
    last = min((one for one in (begun, failed) if one is not None), default=None)
    return {rank for event, rank in struck if last is None or _starts(instant(event), last)}


def _is_fault(event: Event) -> bool:
    is_kernels = (event.line.origin.stream or event.line.stream) is Stream.KERNEL
    return is_kernels and event.role is Role.INITIATING and event.fields.get("xid") in ENDING


def _seats(events: Iterable[Event], aliases: Mapping[str, str]) -> Seats:
    """Return the rank and host of each process that the session's logs name."""
    found: dict[int, set[tuple[int, str | None]]] = defaultdict(set)
    for event in events:
        if (event.line.origin.stream or event.line.stream) not in {Stream.SESSION, None}:
            continue
        is_row = event.signature in EXIT_ROWS
        pid = whole_number(event.fields.get("pid")) if is_row else event.line.pid
        rank = exit_rank(event) if is_row else rank_of(event)
        if pid is not None and rank is not None:
            found[pid].add((rank, canonical(event.line.host, aliases)))
    return found


def _ranks(event: Event, seats: Seats, aliases: Mapping[str, str]) -> set[int]:
    """Return the rank of the process that a fault names, nothing where it may be several."""
    host, pid = canonical(event.line.host, aliases), struck_process(event)
    named = seats.get(pid, set()) if pid is not None else set()
    ranks = {rank for rank, where in named if host is None or where in {None, host}}
    return ranks if len(ranks) == 1 else set()


def _first(stamps: Iterable[tuple[datetime | None, timedelta]]) -> datetime | None:
    """Return until when the first of them surely happened."""
    return min((at + error for at, error in stamps if at is not None), default=None)


def _starts(stamp: tuple[datetime | None, timedelta], last: datetime) -> bool:
    at, error = stamp
    return at is None or at - error <= last
