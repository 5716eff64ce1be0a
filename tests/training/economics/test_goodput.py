"""Goodput: every millisecond is one use's, whatever overlaps and in whatever order."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.training.economics.goodput import Goodput, goodput
from apps.training.economics.timelines import (
    AttemptTimeline,
    SlowTime,
    TimeUse,
)
from tests.training.economics.divided_attempts import FIRST, SECOND, at, save

MINUTE_MS = 60_000


def divided(*attempts: AttemptTimeline, until: float = 200) -> Goodput:
    return goodput(attempts, starts_at=at(0), ends_at=at(until))


def in_minutes(found: Goodput) -> dict[TimeUse, float]:
    return {each: took / MINUTE_MS for each, took in found.by_use.items() if took}


def test_a_session_is_divided_among_its_uses() -> None:
    assert in_minutes(divided(FIRST, SECOND)) == {
        TimeUse.QUEUE: 10,
        TimeUse.RECOVERY: 2 + 5 + 10 + 10 + 10,
        TimeUse.RESTORE: 8,
        TimeUse.PRODUCTIVE: 25 + 25 + 10 + 20 + 20,
        TimeUse.SAVE: 10,
        TimeUse.LOST_PROGRESS: 15,
        TimeUse.STRAGGLER: 10,
        TimeUse.UNKNOWN: 10,
    }


def test_shares_are_of_the_wall_clock() -> None:
    found = divided(FIRST, SECOND)

    assert found.productive_share == 0.5
    assert found.ettr == 0.55
    assert found.points[-1].cumulative == 0.5
    # From 140 to 200: 20 of the slow half hour, and 20 until nothing is known.
    assert found.points[-1].hour == pytest.approx(40 / 60, abs=0.02)


def test_what_a_save_holds_is_what_was_there_when_it_began() -> None:
    cut = AttemptTimeline(
        name="cut",
        starts_at=at(0),
        steps_from=at(0),
        steps_until=at(60),
        ends_at=at(60),
        saves=frozenset({save(20, 30, is_blocking=False), save(50, 60, is_complete=False)}),
    )

    assert in_minutes(divided(cut, until=60)) == {
        TimeUse.PRODUCTIVE: 20,
        TimeUse.LOST_PROGRESS: 30,
        TimeUse.SAVE: 10,
    }


def test_what_finished_lost_nothing() -> None:
    done = AttemptTimeline(
        name="done", starts_at=at(0), steps_from=at(0), steps_until=at(60), ends_at=at(60),
        is_finished=True,
    )  # fmt: skip

    assert in_minutes(divided(done, until=60)) == {TimeUse.PRODUCTIVE: 60}


def test_where_nobody_tells_of_saves_nothing_is_called_lost_and_that_is_said() -> None:
    silent = AttemptTimeline(
        name="silent", starts_at=at(0), steps_from=at(0), steps_until=at(50), ends_at=at(60)
    )
    found = divided(silent, until=60)

    assert TimeUse.LOST_PROGRESS not in in_minutes(found)
    assert found.unsure_attempts == ("silent",)


def test_an_attempt_without_steps_is_unknown() -> None:
    bare = AttemptTimeline(name="bare", starts_at=at(0), ends_at=at(60), saves=frozenset())

    assert in_minutes(divided(bare, until=60)) == {TimeUse.UNKNOWN: 60}


def test_no_time_has_no_share() -> None:
    found = divided(FIRST, until=0)

    assert (found.wall_ms, found.productive_share, found.points) == (0, 0.0, ())


MINUTES = st.integers(0, 10_000_000).map(lambda drawn: drawn / 60_000)
SPANS = st.tuples(MINUTES, MINUTES).map(sorted)


@st.composite
def attempts(draw: st.DrawFn) -> AttemptTimeline:
    starts, first, last, ends = sorted(draw(st.tuples(MINUTES, MINUTES, MINUTES, MINUTES)))
    return AttemptTimeline(
        name=draw(st.text("abc", min_size=1, max_size=3)),
        starts_at=at(starts),
        steps_from=draw(st.none() | st.just(at(first))),
        steps_until=at(last),
        ends_at=draw(st.none() | st.just(at(ends))),
        queued_at=draw(st.none() | st.just(at(starts / 2))),
        saves=draw(st.none() | st.frozensets(SPANS.map(lambda span: save(*span)), max_size=4)),
        slow=frozenset(
            SlowTime(starts_at=at(begin), ends_at=at(end), ratio=ratio)
            for (begin, end), ratio in draw(
                st.lists(st.tuples(SPANS, st.floats(0.5, 9.0)), max_size=3)
            )
        ),
    )


@given(st.lists(attempts(), max_size=4), MINUTES, MINUTES)
def test_uses_add_up_exactly_and_order_and_doubles_change_nothing(
    made: list[AttemptTimeline], first: float, last: float
) -> None:
    begin, end = at(min(first, last)), at(max(first, last))
    found = goodput(made, starts_at=begin, ends_at=end)
    shuffled = random.Random(2).sample(made * 2, 2 * len(made))  # noqa: S311  an order

    assert sum(found.by_use.values()) == found.wall_ms
    assert min(found.by_use.values()) >= 0
    assert goodput(shuffled, starts_at=begin, ends_at=end) == found
