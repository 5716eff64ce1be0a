"""Until when an exception may have been caught: by silence, by the pauses of a log, by steps."""

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from apps.diagnosis.model import EndState, Extent, Stream, VerdictStatus
from apps.incidents.correlation.attempts.caught_exceptions import (
    AHEAD,
    LONGEST,
    PAUSES,
    SILENT_AFTER,
    SILENT_WHILE_RUNNING,
    Doubt,
    doubt_of,
)
from tests.cast.make import AT

MINUTE = timedelta(minutes=1)


def extent(first: datetime, last: datetime, *, lines: int = 2, **more: Any) -> Extent:
    """Return how far a voice was heard."""
    return Extent(first_at=first, last_at=last, line_count=lines, **more)


def doubt(
    *extents: Extent,
    now: datetime = AT,
    stream: Stream | None = Stream.SESSION,
    received_at: datetime | None = AT,
    state: EndState | str = "",
    is_told: bool = False,
    status: VerdictStatus = VerdictStatus.LIKELY,
    doubted_at: datetime | None = None,
) -> Doubt | None:
    """Return the doubt of an attempt whose log was heard so far."""
    reading = SimpleNamespace(
        origin=SimpleNamespace(stream=stream), extents=extents, events=(), progress=()
    )
    diagnosis: Any = SimpleNamespace(is_stop_told=is_told, verdict=SimpleNamespace(status=status))
    gathered: Any = SimpleNamespace(readings=[reading], newest_received_at=received_at)
    attempt: Any = SimpleNamespace(doubted_at=doubted_at, state=state)
    return doubt_of(diagnosis=diagnosis, gathered=gathered, attempt=attempt, now=now)


def until(*extents: Extent, **given: Any) -> timedelta | None:
    """Return how long after the last word of the log silence tells of a stop."""
    found = doubt(*extents, **given)
    return found.until - AT if found and found.until else None


HEARD = extent(AT - MINUTE, AT, lines=60)


def test_a_stop_that_is_told_or_none_at_all_is_not_doubted() -> None:
    assert doubt(HEARD)
    assert doubt(HEARD, is_told=True) is None
    assert doubt(HEARD, status=VerdictStatus.NO_FAILURE) is None


def test_silence_tells_of_the_stop_at_that_very_moment() -> None:
    assert doubt(HEARD, now=AT + SILENT_AFTER - timedelta(seconds=1))
    assert doubt(HEARD, now=AT + SILENT_AFTER) is None


def test_a_doubt_began_when_it_was_first_had() -> None:
    assert doubt(HEARD, now=AT + MINUTE, doubted_at=AT) == Doubt(since=AT, until=AT + SILENT_AFTER)


def test_one_that_the_scheduler_calls_running_is_given_longer() -> None:
    assert until(HEARD, state=EndState.RUNNING) == SILENT_WHILE_RUNNING
    assert until(HEARD) == SILENT_AFTER


@pytest.mark.parametrize(
    ("lines", "patience"),
    [(1, SILENT_AFTER), (2, PAUSES * MINUTE), (4, PAUSES * MINUTE / 2), (60, SILENT_AFTER)],
)
def test_who_speaks_seldom_is_given_so_many_of_its_pauses(lines: int, patience: timedelta) -> None:
    assert until(extent(AT - 2 * MINUTE, AT, lines=lines)) == patience


def test_of_several_voices_the_one_that_speaks_most_often_counts() -> None:
    seldom, often = extent(AT - 10 * MINUTE, AT), extent(AT - 4 * MINUTE, AT)
    assert until(seldom) == PAUSES * 5 * MINUTE
    assert until(seldom, often) == PAUSES * 2 * MINUTE


def test_nobody_is_given_longer_than_the_longest() -> None:
    assert until(extent(AT - timedelta(hours=9), AT)) == LONGEST


def test_only_the_sessions_own_voices_count() -> None:
    assert until(HEARD, extent(AT, AT + MINUTE, stream=Stream.KERNEL), stream=None) == SILENT_AFTER
    kernel = extent(AT - 5 * MINUTE, AT - 4 * MINUTE)
    assert until(kernel, stream=Stream.KERNEL) == SILENT_AFTER  # since it was received


def test_without_any_time_there_is_no_waiting() -> None:
    assert doubt(received_at=None) is None
    assert until() == SILENT_AFTER


@pytest.mark.parametrize(
    ("ahead", "said"), [(AHEAD, MINUTE), (AHEAD + timedelta(seconds=1), timedelta(0))]
)
def test_what_is_stamped_ahead_was_said_by_now_and_far_ahead_when_it_came(
    ahead: timedelta, said: timedelta
) -> None:
    told = extent(AT, AT + ahead, lines=600)
    assert until(told, now=AT + MINUTE) == said + SILENT_AFTER
