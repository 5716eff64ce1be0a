"""Figures in words, and the axis below a chart."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest

from apps.reliability.period.scopes import Absence, Audience, Figure
from apps.reliability.period.values import HourShare
from apps.web.reliability.asked import AskedPeriod
from apps.web.reliability.drawings import _days
from apps.web.reliability.figure_text import figure_text, hours

DAY = date(2026, 11, 21)
ASKED = AskedPeriod(audience=Audience.OWN, cluster="", range="", first_day=DAY, last_day=DAY)
BEGIN = datetime(2026, 11, 21, tzinfo=UTC)


def axis(count: int) -> list[str]:
    """Return the texts below so many hours."""
    kept = [
        HourShare(ends_at=BEGIN + timedelta(hours=each), hour=1.0, cumulative=1.0)
        for each in range(count)
    ]
    return [each.text for each in _days(kept, [float(each) for each in range(count)])]


def test_a_bound_without_a_failure_says_what_it_is_and_not_that_nothing_was_there() -> None:
    figure = Figure(value=None, n=0, interval=(2.5, None), absence=Absence.NOTHING, counted=None)
    told = figure_text(figure, form=hours, name="x", asked=ASKED)
    assert told.value == "more than 2 h 30 min"
    assert told.interval == ""
    assert told.basis == "none failed so far: the lower bound at 95 %"


def test_nothing_at_all_is_a_dash_with_its_reason() -> None:
    figure = Figure(value=None, n=0, interval=None, absence=Absence.NOTHING, counted=None)
    told = figure_text(figure, form=hours, name="x", asked=ASKED)
    assert (told.value, told.basis) == ("–", "there was nothing to count")  # noqa: RUF001


def test_ticks_of_one_day_are_its_hours() -> None:
    assert axis(14) == ["21 Nov", "02:00", "04:00", "06:00", "08:00", "10:00", "12:00"]


@pytest.mark.parametrize("days", [7, 30])
def test_no_text_stands_twice_beside_itself(days: int) -> None:
    texts = axis(days * 24)
    assert all(former != later for former, later in pairwise(texts))
    assert texts[0] == "21 Nov"
