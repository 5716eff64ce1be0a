"""Where an instant stands on a timeline, which instants are labelled, and how sure an answer is."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from apps.web.display.probability import odds_of, probability
from apps.web.lanes.scale import (
    LEFT,
    RIGHT,
    TAG_REACH,
    TICK_COUNT,
    Span,
    clock_text,
    days_text,
    ticks,
)

AT = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def span(length: timedelta, *, begins: datetime = AT) -> Span:
    """Return a stretch of this length."""
    return Span(starts_at=begins, ends_at=begins + length)


@pytest.mark.parametrize(
    ("at", "x"),
    [
        (AT - MINUTE, LEFT),
        (AT, LEFT),
        (AT + 5 * MINUTE, (LEFT + RIGHT) / 2),
        (AT + 10 * MINUTE, RIGHT),
        (AT + 11 * MINUTE, RIGHT),
    ],
)
def test_an_instant_stands_by_its_share_within_the_plot(at: datetime, x: float) -> None:
    assert span(10 * MINUTE).x(at) == x


@pytest.mark.parametrize(
    ("starts", "ends", "is_held"),
    [(-2, -1, False), (-2, 0, True), (0, None, True), (9, 99, True), (10, None, False)],
)
def test_a_span_holds_its_first_instant_and_not_its_last(
    starts: int, ends: int | None, *, is_held: bool
) -> None:
    ends_at = None if ends is None else AT + ends * MINUTE
    assert span(10 * MINUTE).holds(starts_at=AT + starts * MINUTE, ends_at=ends_at) is is_held


@pytest.mark.parametrize(
    ("length", "second"),
    [
        (8 * MINUTE, "02:02"),  # eight steps of a minute
        (8 * MINUTE + timedelta(seconds=1), "02:04"),
        (timedelta(seconds=8), "02:00:02"),
        (timedelta(seconds=9), "02:00:04"),
    ],
)
def test_instants_are_round_and_at_most_eight(length: timedelta, second: str) -> None:
    found = [tick.utc for tick in ticks(span=span(length), zone=None)]
    assert len(found) <= TICK_COUNT
    assert second in found


def test_the_first_of_another_day_is_written_with_it() -> None:
    begins = datetime(2026, 11, 20, 23, 57, tzinfo=UTC)
    found = [tick.utc for tick in ticks(span=span(8 * MINUTE, begins=begins), zone=None)]
    assert found == ["23:58", "23:59", "21 Nov 00:00", "00:01", "00:02", "00:03", "00:04"]


def test_both_clocks_stand_there_where_a_zone_is_known() -> None:
    (first, *_) = ticks(span=span(8 * MINUTE), zone=ZoneInfo("Asia/Seoul"))
    assert (first.utc, first.local) == ("02:01", "11:01")
    assert ticks(span=span(8 * MINUTE), zone=None)[0].local == ""


def test_no_instant_is_labelled_within_reach_of_the_cursor() -> None:
    whole = span(8 * MINUTE)
    free = ticks(span=whole, zone=None, free_of=whole.x(AT + 3 * MINUTE))
    assert "02:03" not in [tick.utc for tick in free]
    edge = whole.x(AT + 3 * MINUTE) + TAG_REACH
    assert "02:03" not in [tick.utc for tick in ticks(span=whole, zone=None, free_of=edge)]
    past = ticks(span=whole, zone=None, free_of=edge + 0.1)
    assert "02:03" in [tick.utc for tick in past]


def test_days_and_clocks_are_in_utc() -> None:
    seoul = ZoneInfo("Asia/Seoul")
    assert clock_text(AT.astimezone(seoul), seconds=True) == "02:00:00"
    assert days_text(span(MINUTE)) == "21 Nov"
    assert days_text(span(timedelta(days=1))) == "21 Nov – 22 Nov"  # noqa: RUF001  a span


@pytest.mark.parametrize("status", ["unknown", "no-failure"])
def test_an_answer_that_did_not_pass_the_gate_has_no_number(status: str) -> None:
    shown = probability(value=0.4, status=status)
    assert (shown.text, shown.value, shown.gate) == ("–", 0, 0.0)  # noqa: RUF001  no number


def test_an_answer_is_shown_against_the_gate_and_a_cause_without() -> None:
    assert probability(value=0.93, status="likely").value == 93.0
    assert probability(value=0.93, status="likely").gate > 0
    assert odds_of(0.5).gate == 0.0


@pytest.mark.parametrize(("value", "tick"), [(0.0, 0.0), (0.5, 49.3), (1.0, 98.6)])
def test_the_mark_of_a_value_stays_on_its_bar(value: float, tick: float) -> None:
    assert odds_of(value).tick == tick
