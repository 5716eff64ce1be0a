"""When the session began to fail: what it printed, minus what its watchdogs waited."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Observation, Role, SessionFacts, Stream

# A stop is told again and again until the launchers gave up; a longer pause is another story.
BURST_GAP = timedelta(minutes=35)


def failed_at(*, observations: Sequence[Observation], facts: SessionFacts) -> datetime | None:
    """Return when the session began to fail: a watchdog's print time minus what it waited, or the
    first sign.
    """
    signs = _signs(observations)
    if not signs:
        own = [one.at for one in observations if one.at and _is_own_end(one)]
        end = max(own, default=facts.ended_at)
        return end - _waited(observations) if end else None
    printed_at, start = signs[-1]
    for at, began in reversed(signs):
        if printed_at - at > BURST_GAP:
            break
        printed_at, start = at, min(start, began)
    # Watchdogs without a time printed with the others, or before.
    return min(start, printed_at - undated_wait(observations=observations))


def waited_until(*, observations: Sequence[Observation]) -> datetime | None:
    """Return when the session first told of its failure, None where it doesn't or not when: what
    its watchdogs waited for broke by then, at the earliest when the wait began.
    """
    signs = _signs(observations)
    if not signs:
        return None
    told = signs[-1][0]
    for at, _ in reversed(signs):
        if told - at > BURST_GAP:
            break
        told = at
    return told


def _signs(observations: Sequence[Observation]) -> list[tuple[datetime, datetime]]:
    """Return when the session told of its failure, and since when it had waited, in order."""
    return sorted(
        (one.at, began)
        for one in observations
        if one.role is Role.CASCADE
        and _is_told_by_session(one)
        and one.at
        and (began := _began(one))
    )


def undated_wait(*, observations: Sequence[Observation]) -> timedelta:
    """Return the longest wait that the session told of without saying when."""
    return _waited([one for one in observations if one.at is None and _is_told_by_session(one)])


def _began(one: Observation) -> datetime | None:
    """Subtract what a watchdog waited; the longest wait is nearest to the beginning."""
    if one.at is None:
        return None
    return one.at - _waited([one])


def _waited(observations: Sequence[Observation]) -> timedelta:
    durations = (e.fields.get("duration_ms", "") for one in observations for e in one.events)
    return timedelta(milliseconds=max(((whole_number(one) or 0) for one in durations), default=0))


def _is_told_by_session(one: Observation) -> bool:
    """Leave out the kernel's aftermath: it also follows faults of other sessions."""
    return any(
        (e.line.origin.stream or e.line.stream) in {Stream.SESSION, None} for e in one.events
    )


def _is_own_end(one: Observation) -> bool:
    is_ours = any((e.line.origin.stream or e.line.stream) is Stream.SESSION for e in one.events)
    return is_ours and one.role in {Role.INITIATING, Role.CONFIRMATION}
