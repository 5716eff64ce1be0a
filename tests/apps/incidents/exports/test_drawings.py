"""Drawings of an incident's file: what is not known is never drawn as something."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.incidents.exports.printing.time_axis import TimeAxis
from apps.incidents.exports.sheet.charts import MOST_POINTS, draw_charts
from apps.incidents.exports.sheet.instants import instant_text, span_text
from apps.incidents.exports.sheet.timeline import draw_timeline
from apps.web.charts import evidence_charts

AT = datetime(2026, 11, 21, 2, tzinfo=UTC)


def moment(after: float | None, **more: Any) -> dict[str, Any]:
    """Return a moment as REST has it, so many seconds after it broke."""
    at = None if after is None else (AT + timedelta(seconds=after)).isoformat()
    return {
        "at": at,
        "ends_at": None,
        "lane": "gpu",
        "role": "context",
        "title": "something",
        "clock_error_seconds": None,
        **more,
    }


def chart(values: list[float | None], **more: Any) -> dict[str, Any]:
    """Return a kept series as REST has it."""
    return {
        "entity": {
            "kind": "gpu", "host": "gpu001", "index": 3, "uuid": None, "pci": None, "name": None,
        },
        "signal": "gpu.temperature",
        "meaning": "GPU temperature",
        "layer": "gpu",
        "unit": "°C",
        "starts_at": AT.isoformat(),
        "step_seconds": 15.0,
        "values": values,
        "peers": {},
        **more,
    }  # fmt: skip


INCIDENT = {
    "culprits": [{"kind": "gpu", "host": "gpu001", "gpu": None, "name": None}],
    "layer": "gpu",
    "started_at": AT.isoformat(),
}


def test_a_story_without_a_time_is_not_drawn() -> None:
    assert draw_timeline(moments=[moment(None)], broke_at=AT) is None
    assert draw_timeline(moments=[], broke_at=AT) is None


def test_a_moment_without_a_time_stands_hollow_at_its_neighbour() -> None:
    drawing = draw_timeline(moments=[moment(None), moment(5), moment(None)], broke_at=AT)
    assert drawing is not None
    first, second, third = drawing.lanes[0].marks
    assert [each.is_untimed for each in (first, second, third)] == [True, False, True]
    assert first.x == second.x == third.x


def test_a_long_story_is_drawn_around_the_break_and_says_what_lies_beside() -> None:
    far = [moment(-90_000), moment(-3), moment(2), moment(90_000), moment(95_000)]
    drawing = draw_timeline(moments=far, broke_at=AT)
    assert drawing is not None
    assert (drawing.before_count, drawing.after_count) == (1, 2)
    assert sum(len(lane.marks) for lane in drawing.lanes) == 2
    assert drawing.broke_x is not None


def test_a_story_far_from_the_break_is_still_drawn() -> None:
    drawing = draw_timeline(moments=[moment(90_000), moment(99_000)], broke_at=AT)
    assert drawing is not None
    assert drawing.width > drawing.right > drawing.left


def test_marks_that_are_close_have_one_number_between_them() -> None:
    drawing = draw_timeline(moments=[moment(each / 1000) for each in range(50)], broke_at=AT)
    assert drawing is not None
    numbers = [mark.number for mark in drawing.lanes[0].marks if mark.number]
    assert numbers == ["1"]


def test_the_error_of_a_clock_is_as_wide_as_it_is() -> None:
    sure, unsure = moment(0), moment(30, clock_error_seconds=10.0)
    drawing = draw_timeline(moments=[sure, unsure, moment(60)], broke_at=AT)
    assert drawing is not None
    first, second, _ = drawing.lanes[0].marks
    assert first.error is None
    assert second.error is not None
    low, high = second.error
    assert low < second.x < high
    assert (high - low) == pytest.approx(2 * (second.x - first.x) / 3, abs=0.3)


def test_a_gap_of_a_chart_is_a_gap() -> None:
    (drawn,) = draw_charts(document_charts=[chart([1.0, 2.0, None, 3.0])], incident=INCIDENT)
    assert drawn.line.count("M") == 2
    assert drawn.gap_count == 1
    assert drawn.band == ""


def test_a_series_without_a_value_is_not_drawn() -> None:
    assert draw_charts(document_charts=[chart([None, None])], incident=INCIDENT) == ()
    assert draw_charts(document_charts=[chart([])], incident=INCIDENT) == ()


def test_one_value_is_drawn() -> None:
    (drawn,) = draw_charts(document_charts=[chart([61.0])], incident=INCIDENT)
    assert drawn.low == drawn.high == "61 °C"


def test_a_long_series_keeps_its_spike() -> None:
    values: list[float | None] = [50.0] * 20_000
    values[12_345] = 99.0
    (drawn,) = draw_charts(document_charts=[chart(values)], incident=INCIDENT)
    assert drawn.line.count("L") <= MOST_POINTS
    assert f" {drawn.top:.1f}".rstrip("0").rstrip(".") in drawn.line


def test_the_blamed_part_is_drawn_before_others_and_each_signal_once() -> None:
    other = chart([1.0, 2.0])
    other = {**other, "entity": {**other["entity"], "host": "gpu009"}}
    drawn = draw_charts(document_charts=[other, chart([1.0, 2.0])], incident=INCIDENT)
    assert [each.part for each in drawn] == ["GPU 3 on gpu001"]


def test_a_sheet_has_as_many_charts_as_the_page_of_an_incident() -> None:
    told = [{**chart([1.0, 2.0]), "signal": f"signal-{number}"} for number in range(20)]
    assert len(draw_charts(document_charts=told, incident=INCIDENT)) == evidence_charts.MOST_CHARTS


@pytest.mark.parametrize("seconds", [1, 45, 600, 7200, 90_000, 40 * 86_400, 900 * 86_400])
def test_an_axis_has_a_few_round_ticks_inside(seconds: int) -> None:
    axis = TimeAxis(starts_at=AT, ends_at=AT + timedelta(seconds=seconds), left=10, right=90)
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 10
    assert all(10 <= each.x <= 90 for each in ticks)
    assert len({each.text for each in ticks}) == len(ticks)


def test_an_axis_of_no_length_stands() -> None:
    axis = TimeAxis(starts_at=AT, ends_at=AT, left=10, right=90)
    assert axis.x(AT) == 50


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.6, "1 min"), (3600, "1 h"), (3661, "1 h 1 min"), (90_000, "1 d 1 h")],
)
def test_spans_are_said_in_two_units(seconds: float, text: str) -> None:
    assert span_text(seconds) == text


def test_instants_are_said_as_exactly_as_they_are_known() -> None:
    assert instant_text("2026-11-21T02:00:00Z") == "2026-11-21 02:00:00"
    assert instant_text("2026-11-21T11:00:00.250+09:00") == "2026-11-21 02:00:00.250"
    assert instant_text(None) == ""
