"""Spans as coarsely as people say them: where the next unit begins."""

from datetime import timedelta

import pytest

from apps.wording import ENGLISH
from apps.wording.quantities import finer_span, long_span, span


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(119, "119 s"), (120, "2 min"), (179 * 60, "179 min"), (180 * 60, "3 h"), (90 * 3600, "90 h")],
)
def test_a_span_is_said_in_seconds_minutes_or_hours(seconds: int, text: str) -> None:
    assert span(timedelta(seconds=seconds), ENGLISH) == text


@pytest.mark.parametrize(
    ("minutes", "text"), [(179, "179 min"), (180, "3 h"), (330, "5.5 h"), (600, "10 h")]
)
def test_half_hours_are_said_where_zones_have_them(minutes: int, text: str) -> None:
    assert finer_span(timedelta(minutes=minutes), ENGLISH) == text


@pytest.mark.parametrize(("hours", "text"), [(47, "47 h"), (48, "2 days"), (72, "3 days")])
def test_from_two_days_on_a_long_span_is_said_in_days(hours: int, text: str) -> None:
    assert long_span(timedelta(hours=hours), ENGLISH) == text
