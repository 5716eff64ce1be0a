"""A judgement in words: spans, paces and shares, and the note on a terminal."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from apps.diagnosis.detection.backtest.report import DetectionDelay
from apps.diagnosis.intervals import RateInterval
from apps.offline.backtest_report import drawings
from apps.offline.backtest_report.text import NOTHING, as_text, pace_words, share_words, span_words
from tests.apps.offline.backtest_reports import alarm, at, empty, full, outcome, share

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("lead", "words"),
    [
        (None, NOTHING),
        (0.0, "0 s"),
        (0.4, "0 s"),
        (59.0, "59 s"),
        (60.0, "1 min"),
        (61.0, "1 min 1 s"),
        (-61.0, "-1 min 1 s"),
        (3600.0, "1 h"),
        (90_061.0, "1 d 1 h"),
        (86_460.0, "1 d"),
        (timedelta(hours=-2, minutes=-5), "-2 h 5 min"),
    ],
)
def test_a_span_is_told_in_its_two_largest_units(
    lead: timedelta | float | None, words: str
) -> None:
    assert span_words(lead) == words


def test_a_share_and_a_pace_say_where_there_was_nothing_to_count() -> None:
    assert share_words(share(0, 0)) == "nothing to count"
    assert share_words(share(1, 3)).startswith("1 of 3  33%  (95 %: ")
    assert pace_words(RateInterval(count=0, days=0.0)) == "no time observed"
    assert pace_words(RateInterval(count=1, days=4.0)).startswith(
        "0.25  (95 %: 0.01 to 1.39; 1 in 4.0"
    )


def test_each_failure_is_missed_or_told_with_its_lead() -> None:
    found = alarm(1.0, "GPU 3", "clock", "power")
    outcomes = (
        outcome(2.0, "off the bus", found, DetectionDelay.BEFORE),
        outcome(1.0, "off the bus", found, DetectionDelay.AT),
        outcome(0.5, "off the bus", found, DetectionDelay.AFTER),
        outcome(9.0, "off the bus"),
        replace(outcome(9.0, "off the bus", found), when=None),
    )
    text = as_text(report=replace(full(), outcomes=outcomes))
    told = [line.rpartition(": ")[2] for line in text.splitlines() if "off the bus" in line]
    assert told == [
        "1 h before, by clock, power",
        "at it, by clock, power",
        "30 min after, by clock, power",
        "missed",
        "missed",
    ]


def test_what_there_is_nothing_of_is_left_out_of_the_text() -> None:
    words = {
        "Failures\n", "lead time", "Families in the detections", "Other thresholds",
        "Trivial rules", "at random", "false: ",
    }  # fmt: skip
    assert {each for each in words if each in as_text(report=full())} == words
    assert not {each for each in words if each in as_text(report=empty())}
    assert as_text(report=replace(empty(), source="")).startswith("Backtest of the source\n")


def test_a_rate_at_the_end_of_the_scale_has_its_mark() -> None:
    point = replace(full().baselines[0], a_day=RateInterval(count=400, days=21.0))
    shown: Any = drawings.curve(replace(full(), curve=(point,), baselines=()))
    assert [each["text"] for each in shown["rates"]][-1] == "20"


def test_rules_are_named_once_where_they_stand_and_one_without_a_rate_at_none() -> None:
    one = replace(full().baselines[0], name="a")
    points = (one, replace(one, name="b"), replace(one, name="c", detected=share(0, 3)))
    shown: Any = drawings.curve(replace(full(), curve=(), baselines=points))
    assert [each["text"] for each in shown["names"]] == ["a, b", "c"]
    left = float(shown["left"])
    unseen = replace(one, a_day=RateInterval(count=0, days=0.0))
    marks = drawings.curve(replace(full(), curve=(unseen, one), baselines=()))["line"]
    first, second = str(marks).split(" ")
    assert float(first.split(",")[0]) == left
    assert float(second.split(",")[0]) > left


def test_a_range_of_days_has_a_mark_at_each_midnight_within_it() -> None:
    one = full()
    watched = replace(one.watched, starts_at=at(-12), ends_at=at(24))
    shown: Any = drawings.days(replace(one, watched=watched))
    assert [each["text"] for each in shown["ticks"]] == ["01 Mar"]
    nothing = replace(one.watched, ends_at=one.watched.starts_at)
    shown = drawings.days(replace(one, watched=nothing))
    assert shown["ticks"] == []
