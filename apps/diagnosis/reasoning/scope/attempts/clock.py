"""Where attempts begin by the clock: a start after a failure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.diagnosis.model import Event, Role
from apps.diagnosis.observed import rank_of
from apps.diagnosis.reasoning.scope.attempts.left_ranks import left_before_restart
from apps.diagnosis.reasoning.scope.attempts.marks import (
    MARKS,
    SURE,
    WAITING,
    At,
    Told,
    is_failure,
    is_launch,
    is_of_session,
)

# Ranks of the attempt before still end for so long after the launcher gave it up.
ENDING = timedelta(seconds=15)
# No rank of the attempt before speaks so long after the launcher gave it up.
LONG_AFTER = timedelta(minutes=10)
# Starting again takes this long at most until the first library speaks.
STARTING = timedelta(minutes=20)
# A launch this soon after a failure is a late rank of the same attempt.
LATE_RANKS = timedelta(seconds=20)
LAUNCH_TOGETHER = timedelta(minutes=10)
LEAST_SHARE = 0.5


def starts_by_clock(events: Sequence[Event], at: At) -> list[datetime]:
    """Return when each further attempt began: a mark of a start after a sign of failure."""
    told = [(moment, e.order_key, e) for e in events if (moment := at(e)) and is_of_session(e)]
    told.sort(key=lambda one: (one[0], one[1]))
    found: list[datetime] = []
    failed: datetime | None = None
    launched = _launched(told)
    for moment, _, event in told:
        is_late = bool(found) and moment - found[-1] < ENDING
        if event.signature in MARKS:
            if (event.signature in SURE and not is_late and (failed or not found)) or (
                event.signature not in SURE and failed is not None
            ):
                found.append(moment + ENDING)
                failed = None
        elif failed is not None and moment in launched and moment - failed >= LATE_RANKS:
            found.append(moment)
            failed = None
        elif is_failure(event) and not is_late:
            failed = moment
    for moment in left_before_restart(events, at):
        # A launcher that says itself when it starts again knows better.
        if not any(moment <= one <= moment + STARTING for one in found):
            found.append(moment + ENDING)
    found.sort()
    starts = [_first_word(start, told, found) for start in found]
    ends = (*starts[1:], None)
    return [s for s, end in zip(starts, ends, strict=False) if _is_alive(s, end, told)]


def _is_alive(start: datetime, end: datetime | None, told: Told) -> bool:
    """Say whether an attempt itself was heard: what comes late is of the one before."""
    return any(
        moment >= start + LONG_AFTER or _is_own_word(event)
        for moment, _, event in told
        if moment >= start - ENDING and (end is None or moment < end)
    )


def _is_own_word(event: Event) -> bool:
    return is_launch(event) or (event.role is Role.PROGRESS and event.signature not in WAITING)


def _launched(told: Told) -> frozenset[datetime]:
    """Return when processes of voices that had spoken before began again, most of them at once."""
    spoken: dict[tuple[str, str | None, int | None], datetime] = {}
    again: list[tuple[datetime, tuple[str, str | None, int | None]]] = []
    for moment, _, event in told:
        voice = (event.line.origin.source, event.line.host, rank_of(event))
        if is_launch(event):
            first = spoken.get(voice)
            if first is not None and moment - first > LATE_RANKS:
                again.append((moment, voice))
        spoken.setdefault(voice, moment)
    return frozenset(
        moment
        for moment, _ in again
        if len({voice for at, voice in again if moment <= at <= moment + LAUNCH_TOGETHER})
        >= LEAST_SHARE * len({v for v, at in spoken.items() if at < moment})
    )


def _first_word(start: datetime, told: Told, starts: Sequence[datetime]) -> datetime:
    """Move the start of an attempt to the first word of its libraries: between is nobody's."""
    following = min((other for other in starts if other > start), default=None)
    for moment, _, event in told:
        if moment < start or (following is not None and moment >= following):
            continue
        if moment - start > STARTING or is_failure(event):
            return start
        if is_launch(event):
            return moment
    return start
