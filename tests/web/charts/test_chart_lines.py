"""A line beside its peers: calm or not, how far away, where it is cut and where it has gaps."""

from datetime import UTC, datetime

import numpy as np
import pytest

from apps.web.charts.chart_lines import (
    MOST_POINTS,
    Line,
    Panel,
    distance,
    gaps,
    has_band,
    is_calm,
    thin,
    wide_gaps,
)
from apps.web.charts.figure import draw_chart

NAN = float("nan")
PANEL = Panel(key="p", title="P", signals=("s",), unit="W", layer="gpu", factor=2.0, digits=1)


def line(values: list[float], *, low: float = 1.0, high: float = 2.0, step: float = 10.0) -> Line:
    """Return a line whose peers lie between two values."""
    ones = np.ones(len(values))
    return Line(
        signal="s",
        name="GPU 5",
        at=np.array([number * step for number in range(len(values))], np.float64),
        values=np.array(values),
        peers={"p5": low * ones, "p50": 1.5 * ones, "p95": high * ones},
    )


@pytest.mark.parametrize(("outside", "calm"), [(0, True), (2, True), (3, False)])
@pytest.mark.parametrize("value", [0.5, 2.5])
def test_a_line_is_calm_but_for_a_sample_or_two(outside: int, value: float, *, calm: bool) -> None:
    assert is_calm(line([1.5] * 20 + [value] * outside)) is calm


def test_a_twentieth_beyond_the_band_is_still_inside() -> None:
    assert is_calm(line([2.09] * 9 + [0.96] * 9))
    assert not is_calm(line([2.11] * 9))
    assert not is_calm(line([0.89] * 9))


def test_without_peers_on_its_own_grid_no_line_is_calm() -> None:
    whole = line([1.5] * 4)
    short = {**whole.peers, "p95": np.ones(3)}
    other = Line(signal="s", name="n", at=whole.at, values=whole.values, peers=short)
    assert [has_band(each) for each in (whole, other, line([]))] == [True, False, False]
    assert [is_calm(each) for each in (whole, other)] == [True, False]


def test_a_line_with_a_wide_gap_is_not_calm() -> None:
    assert is_calm(line([1.5] * 50 + [NAN] + [1.5] * 50))
    assert not is_calm(line([1.5] * 5 + [NAN] * 5 + [1.5] * 5))


@pytest.mark.parametrize(
    ("values", "far"), [([1.5, 4.0], 2.5), ([NAN, 1.0], 0.5), ([NAN, NAN], -1.0)]
)
def test_how_far_a_line_leaves_the_middle_of_its_peers(values: list[float], far: float) -> None:
    assert distance(line(values)) == far


def test_without_a_middle_its_own_range_counts() -> None:
    bare = Line(signal="s", name="n", at=np.arange(3.0), values=np.array([1.0, NAN, 4.0]))
    assert distance(bare) == 3.0
    odd = Line(signal="s", name="n", at=bare.at, values=bare.values, peers={"p50": np.ones(2)})
    assert distance(odd) == 3.0
    gone = Line(
        signal="s", name="n", at=bare.at, values=bare.values, peers={"p50": np.full(3, NAN)}
    )
    assert distance(gone) == 0.0


def test_a_line_of_just_a_thousand_points_is_drawn_as_it_is() -> None:
    at, values = np.arange(float(MOST_POINTS)), np.ones(MOST_POINTS)
    assert len(thin(at, values)[0]) == MOST_POINTS
    assert len(thin(np.append(at, MOST_POINTS), np.append(values, 1.0))[0]) == MOST_POINTS // 2


def test_gaps_lie_between_the_samples_beside_them_and_one_sample_long_is_none_at_the_end() -> None:
    assert gaps(line([NAN, 1.0, NAN, NAN, 1.0, NAN])) == [(0.0, 10.0), (20.0, 40.0)]
    assert gaps(line([1.0, NAN, NAN])) == [(10.0, 20.0)]
    assert gaps(line([])) == wide_gaps(line([])) == []


def test_a_gap_is_wide_from_more_than_an_eighth_or_so_of_the_time() -> None:
    assert wide_gaps(line([1.0] * 40 + [NAN] * 12 + [1.0] * 49)) == []  # 120 of 1,000 seconds
    assert wide_gaps(line([1.0] * 40 + [NAN] * 13 + [1.0] * 48)) == [(400.0, 530.0)]


def at(seconds: float) -> datetime:
    """Return a moment on the line's clock."""
    return datetime.fromtimestamp(seconds, tz=UTC)


@pytest.mark.parametrize(
    ("failed_at", "shown"),
    [(None, "8.0"), (at(10), "4.0"), (at(9), "2.0"), (at(-1), "8.0"), (at(99), "8.0")],
)
def test_the_value_shown_is_the_last_one_up_to_the_stop(
    failed_at: datetime | None, shown: str
) -> None:
    chart = draw_chart(panel=PANEL, lines=[line([1.0, 2.0, NAN, 4.0])], failed_at=failed_at)
    assert chart
    assert (chart.suspect_value, chart.peers_value) == (shown, "2.0–4.0")  # noqa: RUF001  a range


def test_a_band_of_one_value_is_one_number() -> None:
    chart = draw_chart(panel=PANEL, lines=[line([9.0] * 4, low=1.0, high=1.0)], failed_at=None)
    assert chart
    assert chart.peers_value == "2.0"


def test_lines_of_other_signals_draw_nothing_and_calm_ones_only_when_asked() -> None:
    calm = line([1.5] * 9)
    other = Line(signal="t", name="n", at=calm.at, values=calm.values)
    assert draw_chart(panel=PANEL, lines=[other], failed_at=None) is None
    assert draw_chart(panel=PANEL, lines=[calm], failed_at=None, shows_calm=False) is None
    assert draw_chart(panel=PANEL, lines=[calm], failed_at=None)
