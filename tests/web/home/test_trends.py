"""Small lines of the week's numbers: day by day, with their n, and none of too few cases."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.template.loader import render_to_string

from apps.incidents.projection.header_values import IncidentHeader
from apps.web.home.trends import DAYS, LEAST_CASES, count_trend, share_trend
from apps.web.home.week import week_numbers
from tests.cast import make

NOW = make.AT
OLD = NOW - timedelta(days=100)


def _header(days: float, *, status: str = "likely") -> IncidentHeader:
    """Return as much of a stop so long ago as numbers read of it."""
    incident: Any = SimpleNamespace(kind="stop", end_state="failed", verdict_status=status)
    return cast(
        "IncidentHeader", SimpleNamespace(moment=NOW - timedelta(days=days), incident=incident)
    )


def test_of_few_cases_no_line_is_drawn() -> None:
    few = [_header(each) for each in range(LEAST_CASES - 1)]
    assert count_trend(few, since=OLD, now=NOW) is None
    enough = count_trend([*few, _header(9)], since=OLD, now=NOW)
    assert enough is not None
    assert f"n = {LEAST_CASES}" in enough.text


def test_a_line_has_a_point_a_day_and_ends_today() -> None:
    found = count_trend([_header(0.1)] * 6 + [_header(13.9)], since=OLD, now=NOW)
    assert found is not None
    (line,) = found.lines
    points = line.split()
    assert len(points) == DAYS
    assert points[-1] == f"{found.dot[0]:g},{found.dot[1]:g}"
    assert found.hint.endswith(": 1" + ", 0" * (DAYS - 2) + ", 6")


def test_days_before_anything_was_known_are_no_part_of_the_line() -> None:
    found = count_trend([_header(0.5)] * 6, since=NOW - timedelta(days=3), now=NOW)
    assert found is not None
    assert found.hint.endswith(": 0, 0, 6")
    assert "each of the last 3 days" in found.text
    points = found.lines[0].split()
    assert [point.split(",")[0] for point in points] == ["3", "100", "197"]


def test_of_fewer_than_three_days_nothing_is_drawn() -> None:
    assert count_trend([_header(0.5)] * 9, since=NOW - timedelta(days=2), now=NOW) is None


def test_the_first_and_last_day_and_the_scale_are_written_and_spoken() -> None:
    found = count_trend([_header(0.5)] * 6, since=NOW - timedelta(days=3), now=NOW)
    assert found is not None
    first, last = (f"{day.day} {day:%b}" for day in (NOW - timedelta(days=2), NOW))
    assert (found.first, found.last, found.high) == (first, last, "6")
    assert f"from {first} to {last}" in found.hint
    drawn = render_to_string("web/home/trend.html", {"trend": found})
    for text in (first, last, "6", "0"):
        assert f"<span>{text}</span>" in drawn


def test_a_share_needs_several_days_with_several_cases() -> None:
    days = [_header(each, status=status) for each in (0.5, 3.5, 8.5) for status in STATUSES]
    found = share_trend(days, is_hit=lambda each: each.incident.verdict_status == "likely", now=NOW)
    assert found is not None
    assert found.hint.count("67 %") == 3
    assert len(found.lines) == 3  # nothing is drawn across days of which no share is told
    assert share_trend(days[:6], is_hit=bool, now=NOW) is None


STATUSES = ("likely", "likely", "unknown")


@pytest.mark.parametrize(
    ("now", "before", "words"),
    [
        (4, 6, "the week before 6, no clear difference"),
        (20, 2, "the week before 2, a clear difference"),
        (4, 0, "stops that the portal counts as incidents"),
    ],
)
def test_the_week_before_is_told_with_what_the_difference_means(
    now: int, before: int, words: str
) -> None:
    stopped, _ = week_numbers(
        headers=[_header(1)] * now, before=[_header(8)] * before, since=OLD, now=NOW
    )
    assert stopped.note == words


def test_a_week_that_could_not_be_counted_is_compared_with_nothing() -> None:
    stopped, _ = week_numbers(headers=[_header(1)] * 9, before=None, since=OLD, now=NOW)
    assert stopped.trend is None
    assert "week before" not in stopped.note
