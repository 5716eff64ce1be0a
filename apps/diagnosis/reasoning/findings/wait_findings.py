"""Facts that only the waits of many ranks tell together: what they waited for, and behind what."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from math import isfinite

from apps.diagnosis.input_values import decimal, whole_number
from apps.diagnosis.model import Event, Layer, Mark, Observation, Role
from apps.diagnosis.observed import Instant, finding, rank_of
from apps.diagnosis.signatures.marks import marked

WATCHDOG = marked(Mark.COLLECTIVE_TIMEOUT)
WAITS = marked(Mark.GAVE_UP_WAITING)
STATUS = marked(Mark.LAST_COLLECTIVE)
SAVE_BEGINS = marked(Mark.SAVE_BEGINS)
SAVE_ENDS = marked(Mark.SAVE_ENDS)
LOAD_BEGINS, LOAD_ENDS = marked(Mark.LOAD_BEGINS), marked(Mark.LOAD_ENDS)
CHECKPOINTS = marked(Mark.CHECKPOINT)
# What took nearly as long as the others waited is what they waited for.
LEAST_SHARE = 0.9
STEPS = marked(Mark.STEP)
OTHER_WORK, AVERAGED = marked(Mark.OTHER_WORK), marked(Mark.AVERAGED)
LEAST_WAITING = 2
# How PyTorch tells of a collective that a library gave up by itself.
BROKE_OFF = "exception: NCCL error"


def derive(*, events: Sequence[Event], instant: Instant) -> list[Observation]:
    """Return what the waits say together and no line says alone."""
    return [
        *_collectives(events),
        *_unfinished(events, SAVE_BEGINS, SAVE_ENDS, "save-outlasted-timeout", instant),
        *_unfinished(events, LOAD_BEGINS, LOAD_ENDS, "load-outlasted-timeout", instant),
        *_rank0_alone(events),
        *_busy_with_other_work(events, instant),
    ]


def _collectives(events: Sequence[Event]) -> Iterator[Observation]:
    """Yield when ranks ran different operations or sizes under one sequence number."""
    group_of = {
        (rank_of(e), e.fields.get("seq")): e.fields.get("pg_id", "")
        for e in events
        if e.signature in STATUS
    }
    groups: dict[tuple[str, str, str], list[Event]] = defaultdict(list)
    for event in events:
        seq = event.fields.get("seq")
        if event.signature in WATCHDOG and seq:
            group = event.fields.get("pg_id") or group_of.get((rank_of(event), seq), "0")
            groups[(seq, event.fields.get("timeout_ms", ""), group)].append(event)
    for _, members in sorted(groups.items()):
        by_voice: dict[object, set[tuple[str | None, str | None]]] = defaultdict(set)
        for e in members:
            voice = rank_of(e) if rank_of(e) is not None else e.order_key
            by_voice[voice].add((e.fields.get("op"), e.fields.get("numel_in")))
        # One rank in several process groups shows several shapes by itself.
        is_clean = all(len(own) == 1 for own in by_voice.values())
        if is_clean and len({shape for own in by_voice.values() for shape in own}) > 1:
            ranks = {rank for e in members if (rank := rank_of(e)) is not None}
            yield finding("collectives-differ", members, layer=Layer.SOFTWARE, ranks=ranks)


def _unfinished(
    events: Sequence[Event],
    begins: frozenset[str],
    ends: frozenset[str],
    name: str,
    instant: Instant,
) -> Iterator[Observation]:
    """Yield when collectives timed out behind a save or load that was not over by then."""
    waits = _ran_out(events)
    begun = [e for e in events if e.signature in begins or _checkpoint_verb(e) == (name[:4], "ing")]
    ended = [e for e in events if e.signature in ends or _checkpoint_verb(e) == (name[:4], "ed")]
    # Of the lines of a save some programs keep only the last: how long it took says when it began.
    begun += [e for e in ended if _took(e) >= LEAST_SHARE * _shortest(waits)]
    last = max(begun, key=lambda e: _position(e, instant), default=None)
    if last is None:
        return
    after = [e for e in events if e.signature in STEPS or e in ended]
    if any(_is_over(one, last, waits, instant) for one in after):
        return
    behind = [e for e in waits if e is not last and _is_behind(e, last, instant)]
    waiting = {rank_of(e) for e in behind if e.signature in WATCHDOG}
    # All ranks may print that a save begins; the first one writes it.
    if behind and not {0, rank_of(last) or 0} <= waiting:
        # It lasted until the others gave up waiting; a bar may hold its first line back so long.
        found = finding(name, [last, *behind], instant, layer=Layer.STORAGE)
        ended_at, gave_up = instant(last)[0], [at for e in behind if (at := instant(e)[0])]
        starts = [ended_at - timedelta(seconds=_took(last))] if ended_at else []
        if gave_up and isfinite(waited := _shortest(behind)):
            starts.append(min(gave_up) - timedelta(seconds=waited))
        yield replace(found, at=min(starts, default=None), events=(last, behind[-1]), count=2)


def _ran_out(events: Sequence[Event]) -> list[Event]:
    """Return the waits, but for those of ranks whose collective broke off by an error: nobody
    waited for a timeout there, and the error has words of its own.
    """
    broken = {rank_of(e) for e in events if e.role is Role.CASCADE and BROKE_OFF in e.line.text}
    return [
        e
        for e in events
        if e.signature in WATCHDOG
        or (e.signature in WAITS and (rank_of(e) is None or rank_of(e) not in broken))
    ]


def _is_over(one: Event, begun: Event, waits: Sequence[Event], instant: Instant) -> bool:
    """Say whether a step or the end of a save came before the others gave up waiting for it."""
    if one is begun or not _follows(one, begun, instant, if_unknown=False):
        return False
    start, end = instant(begun)[0], instant(one)[0]
    if start and end and end - start >= _nearly(waits):
        return False
    return not any(_follows(one, wait, instant, if_unknown=False) for wait in waits)


def _is_behind(wait: Event, begun: Event, instant: Instant) -> bool:
    return _took(begun) > 0 or _follows(wait, begun, instant, if_unknown=True)


def _nearly(waits: Sequence[Event]) -> timedelta:
    shortest = _shortest(waits)
    return timedelta(seconds=LEAST_SHARE * shortest) if isfinite(shortest) else timedelta.max


def _took(event: Event) -> float:
    """Return the seconds that a save says it took, 0 where it says nothing."""
    return decimal(event.fields.get("secs")) or 0.0


def _shortest(waits: Sequence[Event]) -> float:
    """Return how long the others waited at least, in seconds; endless where nobody says."""
    said = (whole_number(e.fields.get("duration_ms")) for e in waits)
    return min((one / 1000 for one in said if one is not None), default=float("inf"))


def _checkpoint_verb(event: Event) -> tuple[str, str]:
    """Return (save or load, ing or ed) where one signature stands for all of them."""
    if event.signature not in CHECKPOINTS:
        return ("", "")
    said = event.fields.get("what", "").lower()
    is_over = bool(event.fields.get("secs")) or said.startswith(("finished", "saved", "loaded"))
    return ("load" if "load" in said else "save", "ed" if is_over else "ing")


def _position(event: Event, instant: Instant) -> tuple[bool, datetime | None, str, int]:
    at = instant(event)[0]
    return (at is not None, at, *event.order_key) if at else (False, None, *event.order_key)


def _follows(one: Event, other: Event, instant: Instant, *, if_unknown: bool) -> bool:
    """Say whether one came after the other, by the clock or by the place in one file."""
    first, second = instant(other)[0], instant(one)[0]
    # Lines of one file in the same second stand in their order.
    if first is not None and second is not None and first != second:
        return second > first
    if one.line.origin.source == other.line.origin.source:
        return one.line.number > other.line.number
    return if_unknown


def _rank0_alone(events: Sequence[Event]) -> Iterator[Observation]:
    """Yield when every rank but 0 waited at an early barrier."""
    waits = [e for e in events if e.signature in WATCHDOG]
    ranks = {rank for e in waits if (rank := rank_of(e)) is not None}
    is_barrier = all(e.fields.get("numel_in") == "1" for e in waits)
    is_early = all(whole_number(e.fields.get("seq"), most=20) is not None for e in waits)
    if len(ranks) >= 3 and 0 not in ranks and is_barrier and is_early:
        yield finding("rank0-alone-busy", waits, layer=Layer.SOFTWARE, ranks=(0,))


def _busy_with_other_work(events: Sequence[Event], instant: Instant) -> Iterator[Observation]:
    """Yield when the one rank that gave up waiting for nobody had begun other work than steps, and
    was not back at its steps when the others gave up.

    Work that the waiting ranks began as well keeps nobody waiting for one alone. A line without a
    rank is of the first one: it prints for all.
    """
    waits = [e for e in events if e.signature in WATCHDOG | WAITS]
    waiting = {rank for e in waits if (rank := rank_of(e)) is not None}
    begun = [e for e in events if e.signature in OTHER_WORK]
    who = {rank_of(e) or 0 for e in begun}
    if len(waiting) < LEAST_WAITING or len(who) != 1 or who & waiting:
        return
    last = max(begun, key=lambda e: _position(e, instant))
    # A bar may be of the other work itself.
    steps = [e for e in events if e.signature in STEPS - AVERAGED]
    if any(_follows(one, last, instant, if_unknown=False) for one in steps):
        return
    if any(_follows(last, wait, instant, if_unknown=False) for wait in waits):
        return
    yield finding(
        "busy-while-others-waited", [last, *waits[:1]], layer=Layer.SOFTWARE, ranks=tuple(who)
    )
