"""Who left first, by the codes with which processes left and by what they said before."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import timedelta

from apps.diagnosis.exit_codes import (
    AGENT,
    codes_of,
    ranks_listed,
    ranks_of_logs,
    ranks_of_processes,
)
from apps.diagnosis.failure_tables import ENDED, EXIT_ROWS, exit_rank, failure_tables
from apps.diagnosis.input_values import rank_number, signed_number
from apps.diagnosis.model import Event, Mark, Role, SessionFacts, Stream
from apps.diagnosis.observed import SILENT_PEER, Instant, rank_of
from apps.diagnosis.signatures.marks import marked

ABORTED = frozenset({-6, 134})
BEGINNINGS = frozenset({Role.INITIATING, Role.CONFIRMATION})
TOP = "<module>"  # the outermost frame of an exception that nothing caught
# A call that failed on the GPU of a rank tells of nobody else, though what began it is elsewhere.
GPU_CALLS = marked(Mark.GPU_CALL)
LAUNCHERS = marked(Mark.OF_LAUNCHER)
# Launchers of several nodes have clocks of their own, and a worker may take this long to leave.
NODES_APART = timedelta(minutes=1)
# A failure in the same words on so many of those that spoke is nobody's alone.
LEAST, SHARE = 2, 0.5
# Steps that other ranks had done may be printed below the exception of one.
WENT_ON_LINES = 10
MARK = re.compile(r"^\s*\[?(?:rank|default)?\s?\d{1,6}\]?:\s*")


def first_out(
    *, events: Sequence[Event], facts: SessionFacts, instant: Instant | None = None
) -> set[int]:
    """Return the ranks that left first: in silence and in order, killed or with an error of their
    own; else the only one that aborted. Who only tells that another one went away did not begin,
    nor who failed later by the launcher's table. `instant` orders the tables of several nodes.
    """
    codes = codes_of(events=events, facts=facts)
    listed = ranks_listed(events=events)
    if early := left_early(events=events) or (listed if len(listed) == 1 else set()):
        return early
    if is_shared(events=events):
        return set()
    behind = echoing(events=events)
    later = later_ranks(events=events, instant=instant)
    failed = {rank: code for rank, code in codes.items() if code != 0 and code not in ENDED}
    failed = {rank: code for rank, code in failed.items() if rank not in behind | later}
    own = {rank for rank, code in failed.items() if code not in ABORTED}
    # Who only tells of others was alive until it missed the one that aborted.
    is_ended = later or behind or any(code in ENDED for code in codes.values())
    if not failed and (told := ended_first(events=events)):
        return {rank for one in told if (rank := exit_rank(one)) is not None}
    if not own and len(failed) == 1 and is_ended:
        return set(failed)
    return own if own and len(own) < max(2, len(codes)) else set()


def ended_first(*, events: Sequence[Event]) -> list[Event]:
    """Return the row of the one worker that a signal told to end before any other had failed: first
    in the table of its node, while all who failed elsewhere only tell of others. A launcher that
    ends its workers lists who failed before.
    """
    behind = echoing(events=events)
    first = [one.first for one in failure_tables(events=events)]
    own = [one for one in first if exit_rank(one) not in behind]
    is_told = len(own) == 1 and signed_number(own[0].fields.get("exitcode")) in ENDED
    return own if is_told and len(own) < len(first) else []


def raised_alone(*, events: Sequence[Event], facts: SessionFacts) -> set[int]:
    """Return the one rank that an exception ended which is no word of others, where no launcher
    tells who left and with what, nor its log of steps long after.
    """
    if codes_of(events=events, facts=facts) or is_shared(events=events):
        return set()
    last: dict[str, int] = {}
    for one in events:
        if one.role is Role.PROGRESS:
            source, number = one.order_key
            last[source] = max(number, last.get(source, 0))
    raised = [one for one in events if is_own(event=one) and one.fields.get("outermost") == TOP]
    if any(last.get(one.order_key[0], 0) > one.line.number + WENT_ON_LINES for one in raised):
        return set()
    ranks = {rank_of(one) for one in raised if one.role is Role.INITIATING}
    return {rank for rank in ranks if rank is not None and len(ranks) == 1}


def later_ranks(*, events: Sequence[Event], instant: Instant | None = None) -> set[int]:
    """Return the ranks that failed after the first one: in the table of their node, or on a node
    all of whose failures came so much later that neither clocks nor a slow exit explain it.

    A first row of a rank that only tells of others orders nothing.
    """
    no_start = {None, *echoing(events=events)}
    said = [one for one in failure_tables(events=events) if exit_rank(one.first) not in no_start]
    later = [row for one in said for row in one.later]
    stamps = [(one, *instant(one.first)) for one in said] if instant else []
    dated = [(one, at, error) for one, at, error in stamps if at is not None]
    begun = min((at + error for _, at, error in dated), default=None)
    for one, at, error in dated:
        if begun is not None and at - error - begun >= NODES_APART:
            later += [one.first, *one.rest]
    return {rank for row in later if (rank := exit_rank(row)) is not None}


def echoing(*, events: Sequence[Event]) -> set[int]:
    """Return the ranks that told only of others: a peer that went, a wait too long.

    That a peer was silent may be the fault of whoever says so, unless another rank failed by its
    own words. A line without a rank is of the process whose number a table of failures names,
    else of the only rank that the tables of its log name.
    """
    processes, alone = ranks_of_processes(events), ranks_of_logs(events)
    told: dict[int, set[bool | None]] = defaultdict(set)
    for event in events:
        rank = rank_of(event)
        if rank is None and _is_of_session(event) and event.signature not in LAUNCHERS:
            pid, log = event.line.pid, event.line.origin.source
            rank = alone.get(log) if pid is None else processes.get(pid)
        if rank is None or event.signature in AGENT:
            continue
        if event.role in BEGINNINGS or event.role is Role.CASCADE:
            told[rank].add(_is_own_failure(event))
    has_own = any(True in own for own in told.values())
    return {rank for rank, own in told.items() if True not in own and (None not in own or has_own)}


def _is_own_failure(event: Event) -> bool | None:
    """Say whether a rank tells of a failure of its own; None: of either end of a connection."""
    if event.fields.get("wc_status") in SILENT_PEER:
        return None
    return event.role in BEGINNINGS or event.signature in GPU_CALLS


def is_shared(*, events: Sequence[Event]) -> bool:
    """Say whether most ranks that spoke failed in the same words: who was first says nothing."""
    raised: dict[str, set[object]] = defaultdict(set)
    heard = {rank for event in events if (rank := rank_of(event)) is not None}
    for event in events:
        if event.role is Role.INITIATING and _is_of_session(event):
            rank = rank_of(event)
            raised[said(event=event)].add(rank if rank is not None else event.order_key)
    most = max((len(who) for who in raised.values()), default=0)
    return most >= max(LEAST, SHARE * len(heard))


def said_alike(*, events: Sequence[Event], instant: Instant) -> frozenset[str]:
    """Return the failures that most ranks that spoke told of in the same words, none of them surely
    earlier than the others: of these nobody was first.
    """
    told: dict[str, dict[int, Event]] = defaultdict(dict)
    heard = {rank for event in events if (rank := rank_of(event)) is not None}
    for event in sorted(events, key=lambda one: one.order_key):
        rank = rank_of(event)
        if rank is not None and is_own(event=event):
            told[said(event=event)].setdefault(rank, event)
    later = later_ranks(events=events, instant=instant)
    most = max(LEAST, SHARE * len(heard))
    return frozenset(
        text for text, who in told.items() if len(_together(who, instant) - later) >= most
    )


def _together(who: Mapping[int, Event], instant: Instant) -> set[int]:
    """Return the ranks of those that told of something without who told of it surely later."""
    stamps = {rank: instant(event) for rank, event in who.items()}
    begun = min((at + error for at, error in stamps.values() if at is not None), default=None)
    return {
        rank
        for rank, (at, error) in stamps.items()
        if at is None or begun is None or at - error <= begun
    }


def is_of_all(*, events: Iterable[Event], alike: Set[str]) -> bool:
    """Say whether some of these events are ranks' own failures, and all of those told `alike`."""
    own = {said(event=one) for one in events if is_own(event=one)}
    return bool(own) and own <= alike


def said(*, event: Event) -> str:
    """Return what a line tells, whoever printed it."""
    return f"{event.signature} {MARK.sub('', event.line.text)}"


def is_own(*, event: Event) -> bool:
    """Say whether a line of a session tells of a failure of whoever printed it."""
    return event.role in BEGINNINGS and _is_of_session(event)


def _is_of_session(event: Event) -> bool:
    stream = event.line.origin.stream or event.line.stream
    return stream in {Stream.SESSION, None} and event.signature not in AGENT


def left_early(*, events: Sequence[Event]) -> set[int]:
    """Return the ranks of a node that its launcher neither found failed nor had to end: they had
    left in order while the others still worked.
    """
    nodes: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for event in events:
        numbers = [rank_number(event.fields.get(name)) for name in ("local_rank", "rank")]
        code = signed_number(event.fields.get("exitcode"))
        if event.signature in EXIT_ROWS and None not in numbers and code is not None:
            local, rank = (one or 0 for one in numbers)
            nodes[event.line.host or ""][local] = (rank, code)
    return {rank for entries in nodes.values() for rank in _gaps(entries)}


def _gaps(entries: Mapping[int, tuple[int, int]]) -> set[int]:
    """Return the ranks between those of a table, where it lists the living, too."""
    if not any(code in ENDED for _, code in entries.values()):
        return set()
    first = {rank - local for local, (rank, _) in entries.items()}
    gaps = set(range(max(entries))) - set(entries)
    if len(first) != 1 or len(gaps) >= len(entries):
        return set()
    return {first.copy().pop() + local for local in gaps}
