"""When a session began to fail whose own words of it carry no time: they came at or after the last
line that was dated, and nobody says how long after.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.diagnosis.model import Event, Observation, Role, Stream

ZERO = timedelta(0)
FAILURES = frozenset({Role.CASCADE, Role.CONFIRMATION, Role.INITIATING})


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """From when on a session may have failed."""

    at: datetime | None
    late: timedelta = ZERO  # how much later than `at` it may have been
    is_open: bool = False  # nobody says when it was over: nothing came too late


def beginning(
    *,
    observations: Sequence[Observation],
    failed_at: datetime | None,
    silent_at: datetime | None,
    wait: timedelta,
    steps: Collection[str],
) -> Beginning:
    """Return when the session began to fail, no more exact than its words allow.

    `failed_at` is what dated words say, None where there are none; `silent_at` is when the session
    last spoke with a time; `wait` is the longest that it told of without a time; `steps` are the
    signs of a step that was made.
    """
    if any(one.role is Role.CASCADE and one.at and _is_own(one) for one in observations):
        return Beginning(at=failed_at, late=wait)
    known = failed_at or silent_at
    if known is None or not any(_is_undated(one) for one in observations):
        return Beginning(at=known)
    # A session that made a step was not waiting yet.
    made = [one.last_at for one in observations if one.sign in steps and one.last_at]
    spoke_at = silent_at or known
    earliest = max([spoke_at - wait, *(at for at in made if at <= spoke_at)])
    return Beginning(
        at=min(earliest, known),
        late=max(known - earliest, ZERO) + wait,
        is_open=not _is_closed(observations),
    )


def _is_closed(observations: Sequence[Observation]) -> bool:
    """Say whether each undated word of failure is followed by a dated one in its own log."""
    own = [one for one in observations if _is_own(one)]
    dated: dict[str, int] = {}
    for event in (event for one in own for event in one.events if _has_time(event)):
        source, number = event.order_key
        dated[source] = max(number, dated.get(source, 0))
    return all(
        event.line.number < dated.get(event.line.origin.source, 0)
        for one in own
        if _is_undated(one)
        for event in one.events
    )


def _has_time(event: Event) -> bool:
    return event.line.at is not None or event.line.local_at is not None


def _is_undated(one: Observation) -> bool:
    return one.at is None and one.role in FAILURES and _is_own(one)


def _is_own(one: Observation) -> bool:
    """Say whether the session's own log tells it."""
    return any(
        (e.line.origin.stream or e.line.stream) in {Stream.SESSION, None} for e in one.events
    )
