"""Evidence charts: empty, one point, gaps, peers; no data is never drawn as zero."""

import json
from datetime import UTC, datetime

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.registry import collect
from apps.web.charts import panels
from apps.web.charts.chart import Chart
from apps.web.charts.chart_lines import MOST_POINTS, Line, Panel, gaps, thin
from apps.web.charts.figure import draw_chart

PANELS = collect(package=panels, kind=Panel)
BROKE = datetime(2026, 3, 12, 2, 3, 58, tzinfo=UTC)


def line(panel: Panel, values: list[float], *, peers: bool = True) -> Line:
    at = np.array([BROKE.timestamp() - 60 + 15.0 * n for n in range(len(values))])
    flat = np.ones(len(values))
    band = {"p5": flat * 0.9, "p50": flat, "p95": flat * 1.1} if peers else {}
    return Line(
        signal=panel.signals[0],
        name="GPU 5",
        host="gpu071",
        at=at,
        values=np.array(values),
        peers=band,
    )


def chart(panel: Panel, values: list[float], *, peers: bool = True) -> Chart:
    found = draw_chart(panel=panel, lines=[line(panel, values, peers=peers)], failed_at=BROKE)
    assert found is not None
    return found


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.key)
def test_every_panel_shows_signals_of_the_catalog(panel: Panel) -> None:
    assert set(panel.signals) <= set(catalog().signals)


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.key)
@pytest.mark.parametrize(
    "values", [[], [1.0], [1.0, np.nan, np.nan, np.nan, 2.0], [np.nan, np.nan]], ids=str
)
def test_every_panel_draws_empty_one_point_and_gapped_data(
    panel: Panel, values: list[float]
) -> None:
    json.dumps(chart(panel, values).figure, allow_nan=False)


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.key)
def test_a_panel_without_its_signals_stays_away(panel: Panel) -> None:
    assert draw_chart(panel=panel, lines=[], failed_at=BROKE) is None


def test_a_gap_is_hatched_and_named_and_never_a_zero() -> None:
    found = chart(PANELS[0], [5.0, 5.0, np.nan, np.nan, np.nan])
    suspect = next(t for t in found.figure["data"] if t.get("name") == "GPU 5")
    assert suspect["y"][2:] == [None, None, None]
    assert found.figure["layout"]["annotations"][0]["text"] == "no data, not zero"
    assert "not zero" in found.note


def test_data_that_never_came_has_no_number() -> None:
    assert chart(PANELS[0], [np.nan, np.nan]).suspect_value == "no data"


def test_without_peers_no_band_is_drawn_and_none_is_named() -> None:
    found = chart(PANELS[0], [1.0, 2.0], peers=False)
    assert found.peers_value == ""
    assert all("peers" not in trace.get("name", "") for trace in found.figure["data"])


def test_a_line_that_stays_with_its_peers_is_drawn_only_when_asked_for() -> None:
    calm, wild = line(PANELS[0], [1.0] * 20), line(PANELS[0], [1.0] * 10 + [9.0] * 10)
    told = [
        draw_chart(panel=PANELS[0], lines=[each], failed_at=BROKE, shows_calm=False)
        for each in (calm, wild)
    ]
    assert told[0] is None
    assert told[1] is not None


def test_the_blamed_part_is_shown_even_when_another_strays_further() -> None:
    panel = PANELS[0]
    blamed = Line(
        signal=panel.signals[0], name="GPU 3", at=np.arange(3.0), values=np.ones(3), is_blamed=True
    )
    found = draw_chart(panel=panel, lines=[line(panel, [1.0, 99.0]), blamed], failed_at=BROKE)
    assert found is not None
    assert found.suspect == "GPU 3"


def test_thinning_keeps_a_spike_of_one_sample_and_at_most_a_thousand_points() -> None:
    values = np.zeros(50_000)
    values[31_337] = 7.0
    _, kept = thin(np.arange(50_000.0), values)
    assert len(kept) <= MOST_POINTS
    assert kept.max() == 7.0


def test_a_gap_at_the_end_lasts_to_the_end() -> None:
    assert gaps(line(PANELS[0], [1.0, np.nan, np.nan])) == [
        (BROKE.timestamp() - 45, BROKE.timestamp() - 30)
    ]


def test_hovering_tells_the_value_and_where_the_peers_were() -> None:
    found = chart(PANELS[0], [5.0, np.nan, 7.0])
    traces = found.figure["data"]
    (suspect,) = [trace for trace in traces if trace.get("name") == "GPU 5"]
    factor = PANELS[0].factor
    assert suspect["customdata"] == [f"{0.9 * factor:g} to {1.1 * factor:g}"] * 3
    assert PANELS[0].unit in suspect["hovertemplate"]
    others = [trace for trace in traces if trace is not suspect]
    assert all(trace["hoverinfo"] == "skip" for trace in others)
    assert all("hovertemplate" not in trace for trace in others)


def test_the_stop_has_a_line_and_its_time() -> None:
    layout = chart(PANELS[0], [5.0] * 20).figure["layout"]
    assert [shape["x0"] for shape in layout["shapes"]] == ["2026-03-12 02:03:58"]
    assert "broke 02:03:58" in [note["text"] for note in layout["annotations"]]
