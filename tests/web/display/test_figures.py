"""Figures as people read them."""

import pytest

from apps.web.display.choices import day_links
from apps.web.display.figures import NO_NUMBER, gpu_hours, percent


@pytest.mark.parametrize(
    ("share", "told"), [(None, NO_NUMBER), (0.0, "0.0 %"), (0.9312, "93.1 %"), (1.0, "100.0 %")]
)
def test_a_share_has_one_digit_and_an_unknown_one_is_no_zero(
    share: float | None, told: str
) -> None:
    assert percent(share) == told


@pytest.mark.parametrize(
    ("hours", "told"),
    [
        (None, NO_NUMBER),
        (0.0, "0"),
        (0.04, "0.0"),
        (9.96, "10.0"),
        (100.0, "100"),
        (1234.5, "1,234"),
    ],
)
def test_few_gpu_hours_have_a_digit_behind_the_point(hours: float | None, told: str) -> None:
    assert gpu_hours(hours) == told


def test_spans_of_days_say_which_is_chosen_and_how_to_ask_for_another() -> None:
    links = day_links(("1", "28"), chosen="28", query=lambda days: f"?days={days}&view=ratings")
    assert [(each.text, each.query, each.is_on) for each in links] == [
        ("1 day", "?days=1&view=ratings", False),
        ("28 days", "?days=28&view=ratings", True),
    ]
