"""Uses hour by hour: they are the time between two instants, whatever the attempts are."""

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from apps.training.economics.goodput import goodput
from apps.training.economics.timelines import AttemptTimeline, CheckpointSave, SlowTime, TimeUse
from apps.training.economics.use_table import hourly_uses
from tests.training.economics.divided_attempts import FIRST, NOON, SECOND, at

HOUR = timedelta(hours=1)

MINUTES = st.integers(min_value=-300, max_value=900)


@st.composite
def timelines(draw: st.DrawFn) -> AttemptTimeline:
    """Return an attempt with times in any order."""
    name, starts, ends, first, last = (draw(MINUTES) for _ in range(5))
    return AttemptTimeline(
        name=str(name),
        starts_at=at(starts),
        ends_at=draw(st.sampled_from([None, at(ends)])),
        steps_from=at(min(first, last)),
        steps_until=at(max(first, last)),
        saves=frozenset({CheckpointSave(starts_at=at(first), ends_at=at(first + 3))}),
        slow=frozenset({SlowTime(starts_at=at(first), ends_at=at(last), ratio=1.3)}),
    )


@given(st.lists(timelines(), max_size=4), MINUTES, st.integers(min_value=0, max_value=2000))
def test_hours_add_up_to_the_time_exactly(
    attempts: list[AttemptTimeline], start: int, minutes: int
) -> None:
    starts_at, ends_at = at(start), at(start + minutes)
    hours = hourly_uses(attempts, starts_at=starts_at, ends_at=ends_at)
    assert sum(sum(each.values()) for each in hours.values()) == minutes * 60_000
    for hour, uses in hours.items():
        assert hour.minute == hour.second == 0
        within = min(ends_at, hour + HOUR) - max(starts_at, hour)
        assert sum(uses.values()) == within // timedelta(milliseconds=1)


def test_hours_are_divided_as_the_whole_is() -> None:
    attempts = [FIRST, SECOND]
    hours = hourly_uses(attempts, starts_at=at(0), ends_at=at(200))
    whole = goodput(attempts, starts_at=at(0), ends_at=at(200)).by_use
    for use in TimeUse:
        # Each piece of slow steps is rounded to the millisecond.
        assert abs(sum(each[use] for each in hours.values()) - whole[use]) <= len(hours), use
    assert list(hours) == [NOON + each * HOUR for each in range(4)]


def test_no_time_has_no_hour() -> None:
    instant: datetime = at(30)
    assert hourly_uses([FIRST], starts_at=instant, ends_at=instant) == {}
