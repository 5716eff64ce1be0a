"""Whether somebody ended the session, or only cleaned up after its failure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from apps.diagnosis.model import Event, Mark, Observation, Role, Severity, Stream
from apps.diagnosis.observed import Instant, finding
from apps.diagnosis.signatures.marks import marked

ORDERS = marked(Mark.TOLD_TO_END)
GRAVE = frozenset({Severity.ERROR, Severity.FATAL})
SIGNS = frozenset({Role.CASCADE, Role.INITIATING, Role.CONFIRMATION})
# Codes of processes that ended because they were told to.
OBEDIENT = frozenset({"0", "-15", "143", "-2", "130", "15"})
OBEYING = ("signalexception", "keyboardinterrupt", "sigterm", "rendezvous", "got signal: 15")
# A process that is told to end never fails like this; stamps may still say it came later.
OWN_FAILURES = marked(Mark.OWN_FAILURE)
MEANWHILE = timedelta(seconds=60)
SLACK = timedelta(seconds=2)


def derive(*, events: Sequence[Event], instant: Instant) -> list[Observation]:
    """Return that processes were told to end after the session had begun to fail."""
    orders = [one for one in events if one.signature in ORDERS]
    if not orders:
        return []
    signs = [one for one in events if _is_sign(one)]
    stamps = [(at, error) for at, error in map(instant, orders) if at is not None]
    first = min(stamps, default=None)
    before = [one for one in signs if _is_before(one, first, orders, instant)]
    if not before:
        return []
    # Of all signs the last: what came long before may have been lived through.
    undated = datetime.min.replace(tzinfo=UTC)
    last = max(before, key=lambda one: (instant(one)[0] or undated, one.order_key))
    told = finding("failed-before-told-to-end", [last], instant)
    return [replace(told, role=Role.CONTEXT)]


def _is_sign(event: Event) -> bool:
    """Say whether an event tells of a failure that nobody ordered."""
    if event.signature in ORDERS or event.role not in SIGNS or event.severity not in GRAVE:
        return False
    if (event.line.origin.stream or event.line.stream) not in {Stream.SESSION, None}:
        return False
    if "process-killed" in event.causes or event.fields.get("exitcode", "x") in OBEDIENT:
        return False
    text = event.line.text.lower()
    return not any(word in text for word in OBEYING)


def _is_before(
    event: Event,
    first: tuple[datetime, timedelta] | None,
    orders: Sequence[Event],
    instant: Instant,
) -> bool:
    """Say whether a failure came before the first order, by the clock or by its place."""
    at, error = instant(event)
    is_own = event.signature in OWN_FAILURES or bool(event.fields.get("exitcode"))
    if at is not None and first is not None:
        ordered_at, blur = first
        if is_own:
            return at <= ordered_at + MEANWHILE + error + blur
        return at + min(error, SLACK) < ordered_at
    same = [one for one in orders if one.line.origin.source == event.line.origin.source]
    if same:
        return event.line.number < min(one.line.number for one in same)
    return is_own
