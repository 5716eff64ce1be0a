"""The element that carries a figure: kept for who reads the very same, drawn anew for others."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.utils.translation import override

from apps.diagnosis.registry import collect
from apps.web.charts import panels
from apps.web.charts.chart import Chart
from apps.web.charts.chart_lines import Line, Panel
from apps.web.charts.figure import draw_chart

PANEL = collect(package=panels, kind=Panel)[0]
BROKE = datetime(2026, 3, 12, 2, 3, 58, tzinfo=UTC)
AT = np.array([BROKE.timestamp() - 60 + 15.0 * n for n in range(4)])
READ = Line(
    signal=PANEL.signals[0],
    name="GPU 5",
    host="gpu071",
    at=AT,
    values=np.array([1.0, 2.0, np.nan, np.nan]),
    owner="One",
    reader_id=1,
)


def chart(line: Line, failed_at: datetime = BROKE) -> Chart:
    found = draw_chart(panel=PANEL, lines=[line], failed_at=failed_at)
    assert found is not None
    return found


def test_it_holds_the_figure() -> None:
    drawn = chart(READ)
    opening, _, rest = drawn.script.partition(">")
    assert f'id="figure-{PANEL.key}"' in opening
    assert json.loads(rest.removesuffix("</script>")) == drawn.figure


def test_the_same_for_the_same_reader_is_made_once() -> None:
    again = replace(READ, at=AT.copy(), values=READ.values.copy())
    assert chart(again).script is chart(READ).script


@pytest.mark.parametrize(
    "other",
    [
        replace(READ, values=np.array([1.0, 3.0, np.nan, np.nan])),
        replace(READ, at=AT + 1),
        replace(READ, name="GPU 6"),
        replace(READ, peers={"p5": np.zeros(4), "p95": np.ones(4)}),
    ],
)
def test_other_numbers_or_names_are_drawn_as_they_are(other: Line) -> None:
    assert chart(other).script != chart(READ).script


def test_another_reader_gets_its_own() -> None:
    for_another = chart(replace(READ, reader_id=2)).script
    assert for_another == chart(READ).script
    assert for_another is not chart(READ).script


def test_of_a_reader_that_is_not_told_nothing_is_kept() -> None:
    line = replace(READ, reader_id=0)
    assert chart(line).script is not chart(line).script


def test_another_end_and_another_language_are_drawn_as_they_are() -> None:
    drawn = chart(READ).script
    assert chart(READ, BROKE + timedelta(seconds=9)).script != drawn
    with override("ko"):
        assert chart(READ).script != drawn
