"""Who left first, by the codes with which processes left and by what they said before."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from apps.diagnosis.input_values import rank_number, signed_number
from apps.diagnosis.model import Event, Role, SessionFacts, Stream
from apps.diagnosis.observed import rank_of

ENDED = frozenset({-15, 143})  # told to end by their launcher: they were alive
ABORTED = frozenset({-6, 134})
BEGINNINGS = frozenset({Role.INITIATING, Role.CONFIRMATION})
LAUNCHER = "torchrun-"
ENTRY = "torchrun-fail-exitcode"
# A failure in the same words on so many of those that spoke is nobody's alone.
LEAST, SHARE = 2, 0.5
MARK = re.compile(r"^\s*\[?(?:rank|default)?\s?\d{1,6}\]?:\s*")


def first_out(*, events: Sequence[Event], facts: SessionFacts) -> set[int]:
    """Return the ranks that left first: in silence and in order, killed or with an error of their
    own; else the only one that aborted. Who only tells that another one went away did not begin.
    """
    codes = codes_of(events=events, facts=facts)
    if early := left_early(events=events):
        return early
    if is_shared(events=events):
        return set()
    failed = {rank: code for rank, code in codes.items() if code != 0 and code not in ENDED}
    failed = {rank: code for rank, code in failed.items() if rank not in echoing(events=events)}
    own = {rank for rank, code in failed.items() if code not in ABORTED}
    if not own and len(failed) == 1 and any(code in ENDED for code in codes.values()):
        return set(failed)
    return own if own and len(own) < max(2, len(codes)) else set()


def codes_of(*, events: Sequence[Event], facts: SessionFacts) -> dict[int, int]:
    """Return rank → exit code, as the scheduler and the launcher tell it."""
    codes: dict[int, int] = dict(facts.exit_codes)
    for event in events:
        code, rank = (
            signed_number(event.fields.get("exitcode")),
            rank_number(event.fields.get("rank")),
        )
        if event.signature.startswith(LAUNCHER) and rank is not None and code is not None:
            codes[rank] = code
    return codes


def echoing(*, events: Sequence[Event]) -> set[int]:
    """Return the ranks that told only of others: a peer that went, a wait too long."""
    told: dict[int, set[bool]] = defaultdict(set)
    for event in events:
        rank = rank_of(event)
        if rank is None or event.signature.startswith(LAUNCHER):
            continue
        if event.role in BEGINNINGS or event.role is Role.CASCADE:
            told[rank].add(event.role in BEGINNINGS)
    return {rank for rank, own in told.items() if own == {False}}


def is_shared(*, events: Sequence[Event]) -> bool:
    """Say whether most ranks that spoke failed in the same words: who was first says nothing."""
    raised: dict[str, set[object]] = defaultdict(set)
    heard = {rank for event in events if (rank := rank_of(event)) is not None}
    for event in events:
        if event.role is Role.INITIATING and _is_of_session(event):
            rank = rank_of(event)
            said = f"{event.signature} {MARK.sub('', event.line.text)}"
            raised[said].add(rank if rank is not None else event.order_key)
    most = max((len(who) for who in raised.values()), default=0)
    return most >= max(LEAST, SHARE * len(heard))


def _is_of_session(event: Event) -> bool:
    stream = event.line.origin.stream or event.line.stream
    return stream in {Stream.SESSION, None} and not event.signature.startswith(LAUNCHER)


def left_early(*, events: Sequence[Event]) -> set[int]:
    """Return the ranks of a node that its launcher neither found failed nor had to end: they had
    left in order while the others still worked.
    """
    nodes: dict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for event in events:
        numbers = [rank_number(event.fields.get(name)) for name in ("local_rank", "rank")]
        code = signed_number(event.fields.get("exitcode"))
        if event.signature == ENTRY and None not in numbers and code is not None:
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
