"""What metrics accuse is drawn first, in its own unit, with the time in which it was found."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.utils.translation import override

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import statement, statement_json
from apps.incidents.projection.values import TimelineMoment
from apps.web.charts.accused import AccusedSignal, accused_signals
from apps.web.charts.chart_lines import Line, Panel
from apps.web.charts.evidence_charts import draw_charts
from apps.web.charts.figure import draw_chart
from apps.web.charts.signal_panel import panel_of

BROKE = datetime(2026, 3, 12, 2, 3, 58, tzinfo=UTC)
ECC, HOT = "gpu.ecc.uncorrectable_lifetime", "gpu.temperature"


def moment(told: Any, *, number: int = 1, **named: Any) -> TimelineMoment:
    values: dict[str, Any] = {
        "id": number,
        "organization_id": 1,
        "lane": "gpu",
        "kind": "anomaly",
        "role": "initiating",
        "at": BROKE - timedelta(minutes=2),
        "ends_at": BROKE,
        "clock_error_seconds": None,
        "statement": statement_json(told),
        "detail": {"host": "gpu071"},
        "for_all_parties": False,
        "revision": 1,
        "created_at": BROKE,
    }
    return TimelineMoment(**{**values, **named})


def rose(signal: str = ECC) -> Any:
    return statement("measured", detector="counter-step", signal=signal)


def line(signal: str, *, host: str = "gpu071", values: tuple[float, ...] = (0.0, 3.0)) -> Line:
    at = BROKE.timestamp() - 60 + 15.0 * np.arange(len(values), dtype=np.float64)
    return Line(signal=signal, name="GPU 5", host=host, at=at, values=np.array(values))


def test_a_measurement_of_the_story_accuses_its_signal_on_its_host() -> None:
    (found,) = accused_signals([moment(rose())])
    assert (found.signal, found.host) == (ECC, "gpu071")
    assert found.starts_at < BROKE == found.ends_at


def test_one_that_is_told_of_many_hosts_accuses_the_signal_of_each() -> None:
    many = statement("on-hosts", what=rose(), count=3)
    assert [each.signal for each in accused_signals([moment(many)])] == [ECC]


@pytest.mark.parametrize(
    "named",
    [
        {"kind": "event"},
        {"role": "context"},
        {"role": "cascade"},
        {"at": None},
        {"statement": statement_json(statement("measured", detector="counter-step"))},
    ],
    ids=str,
)
def test_what_is_no_accusation_gets_no_chart(named: dict[str, Any]) -> None:
    assert accused_signals([moment(rose(), **named)]) == ()


def test_what_broke_comes_before_what_bears_it_out() -> None:
    early = moment(rose(HOT), role="confirmation", at=BROKE - timedelta(hours=1))
    found = accused_signals([early, moment(rose(), number=2)])
    assert [each.signal for each in found] == [ECC, HOT]


def test_the_accused_counter_is_drawn_first_and_its_time_is_marked() -> None:
    accused = [AccusedSignal(signal=ECC, host="gpu071", starts_at=BROKE, ends_at=None)]
    lines = [line(HOT, values=(60.0, 61.0)), line(ECC), line(ECC, host="gpu002")]
    charts = draw_charts(lines=lines, layer="gpu", failed_at=BROKE, accused=accused)
    assert [each.title for each in charts] == [catalog().signals[ECC].title, "GPU temperature"]
    assert "gpu071" in charts[0].unit
    shapes = charts[0].figure["layout"]["shapes"]
    assert [each["type"] for each in shapes] == ["line", "rect"]
    assert [each["type"] for each in charts[1].figure["layout"]["shapes"]] == ["line"]


def test_an_accused_signal_that_nobody_captured_leaves_the_usual_charts() -> None:
    accused = [AccusedSignal(signal=ECC, host="gpu071", starts_at=BROKE, ends_at=None)]
    charts = draw_charts(lines=[line(HOT)], layer="gpu", failed_at=BROKE, accused=accused)
    assert [each.title for each in charts] == ["GPU temperature"]


def test_an_accused_signal_that_has_a_panel_is_drawn_once_though_it_is_calm() -> None:
    accused = [AccusedSignal(signal=HOT, host="", starts_at=BROKE, ends_at=None)]
    charts = draw_charts(lines=[line(HOT)], layer="storage", failed_at=None, accused=accused)
    assert [each.key for each in charts] == ["gpu-temperature"]


def test_every_signal_has_a_panel_in_a_unit() -> None:
    for name, signal in catalog().signals.items():
        panel = panel_of(name, np.array([0.0, np.nan, 3e9]))
        assert panel is not None, name
        assert panel.title == signal.title
        assert "%(" not in panel.unit, name
        assert panel.factor > 0, name


def test_bytes_are_told_in_the_unit_that_fits_the_largest() -> None:
    name = next(key for key, each in sorted(catalog().signals.items()) if each.unit == "bytes")
    panel = panel_of(name, np.array([1e3, 3e9]))
    assert panel is not None
    assert (panel.unit, panel.factor) == ("GB", 1e-9)


def test_a_signal_that_nobody_knows_has_no_panel() -> None:
    assert panel_of("made.up", np.array([1.0])) is None


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_panel_without_a_unit_says_none(language: str) -> None:
    panel = Panel(key="bare", title="Bare", signals=(HOT,), unit="", layer="gpu")
    with override(language):
        chart = draw_chart(panel=panel, lines=[line(HOT)], failed_at=BROKE)
    assert chart is not None
    assert chart.unit == "gpu071"
    assert "Language" not in str(chart.figure)
