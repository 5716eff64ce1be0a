"""What is counted over a range: increases through resets and gaps, stretched to its edges."""

import numpy as np
import pytest

from apps.simulator.metrics_server.promql.ranges import (
    Windows,
    changes,
    extrapolated,
    last,
    over_time,
    resets,
)
from apps.simulator.metrics_server.store import _apply, _is_about
from apps.simulator.world.story import Effect

GAP = float("nan")


def windows(samples: list[float], *, start: float, end: float) -> Windows:
    """Return one window over samples that come every ten seconds from zero on."""
    instants = np.arange(0.0, 10.0 * len(samples), 10.0, dtype=np.float64)
    return Windows(
        samples=np.array([samples]),
        instants=instants,
        first=np.array([0]),
        last=np.array([len(samples)]),
        starts=np.array([start]),
        ends=np.array([end]),
    )


def increase(samples: list[float], *, start: float = 0.0, end: float = 30.0) -> float:
    """Return the increase of a counter."""
    found = extrapolated(windows(samples, start=start, end=end), is_counter=True, is_rate=False)
    return float(found[0, 0])


def test_a_counter_grows_through_resets_and_gaps() -> None:
    assert increase([100.0, 101.0, 102.0, 103.0]) == 3.0
    assert increase([100.0, 101.0, 0.0, 2.0]) == 3.0
    assert increase([100.0, GAP, 104.0, 106.0]) == 6.0
    assert increase([100.0, 100.0, 100.0, 100.0]) == 0.0
    assert increase([100.0, GAP, 0.0, 2.0]) == 2.0


def test_one_sample_or_none_tells_no_increase() -> None:
    for samples in ([100.0], [GAP, 100.0], [GAP, GAP], []):
        assert np.isnan(increase(samples))
    assert increase([100.0, 101.0], end=10.0) == 1.0


def test_an_increase_is_stretched_to_a_near_edge_and_by_half_a_gap_to_a_far_one() -> None:
    grown = [1000.0, 1010.0, 1020.0, 1030.0]
    assert increase(grown, start=-10.0) == 40.0
    assert increase(grown, start=-10.9) == pytest.approx(40.9)
    assert increase(grown, start=-11.0) == 35.0
    assert increase(grown, end=40.0) == 40.0
    assert increase(grown, end=41.0) == 35.0


def test_a_counter_is_not_stretched_below_zero_and_a_gauge_may_be() -> None:
    assert increase([0.0, 10.0, 20.0, 30.0], start=-10.0) == 30.0
    assert increase([5.0, 15.0, 25.0, 35.0], start=-10.0) == 35.0
    near = windows([5.0, 15.0, 25.0, 35.0], start=-10.0, end=30.0)
    delta = extrapolated(near, is_counter=False, is_rate=False)
    assert delta[0, 0] == 40.0
    falling = windows([35.0, 25.0, 15.0, 5.0], start=0.0, end=30.0)
    assert extrapolated(falling, is_counter=False, is_rate=False)[0, 0] == -30.0
    rate = extrapolated(falling, is_counter=False, is_rate=True)
    assert rate[0, 0] == -1.0


def test_a_window_without_a_sample_has_no_value() -> None:
    one = windows([1.0, 3.0], start=0.0, end=10.0)
    assert over_time(one, last)[0, 0] == 3.0
    assert np.isnan(over_time(windows([GAP, GAP], start=0.0, end=10.0), last)[0, 0])
    assert np.isnan(over_time(windows([], start=0.0, end=10.0), last)[0, 0])
    assert over_time(windows([2.0, GAP], start=0.0, end=10.0), last)[0, 0] == 2.0


def test_changes_and_falls_are_counted_across_gaps() -> None:
    part = np.array([[1.0, 1.0, 2.0, GAP, 2.0, 1.0]])
    assert (changes(part)[0], resets(part)[0]) == (2.0, 1.0)
    late = np.array([[GAP, GAP, 2.0, 3.0]])
    assert (changes(late)[0], resets(late)[0]) == (1.0, 0.0)


AT = np.arange(0.0, 60.0, 10.0, dtype=np.float64)


@pytest.mark.parametrize(
    ("how", "values"),
    [
        ("step", [1.0, 9.5, 9.5, 9.5, 9.5, 9.5]),
        ("ramp", [1.0, 1.0, 3.0, 6.0, 9.0, 9.0]),
        ("sink", [1.0, 1.0, 3.0, 6.0, 1.0, 1.0]),
        ("set", [1.0, 8.5, 8.5, 8.5, 1.0, 1.0]),
        ("add", [1.0, 9.5, 9.5, 9.5, 1.0, 1.0]),
        ("gone", [1.0, GAP, GAP, GAP, 1.0, 1.0]),
    ],
)
def test_an_effect_acts_from_its_first_instant_to_before_its_last(
    how: str, values: list[float]
) -> None:
    row = np.ones(len(AT))
    effect = Effect(metric="m", host="n1", how=how, starts_at=10.0, ends_at=40.0, amount=8.5)
    _apply(effect, AT, row)
    assert row.tolist() == pytest.approx(values, nan_ok=True)


def test_what_is_taken_from_a_value_leaves_no_less_than_nothing() -> None:
    row = np.ones(len(AT))
    _apply(Effect(metric="m", host="n1", how="add", starts_at=0.0, amount=-5.0), AT, row)
    assert row.tolist() == [0.0] * len(AT)


def test_an_effect_is_about_a_name_or_about_all_that_begin_so() -> None:
    assert [_is_about("a_b", name) for name in ("a_b", "a_bc", "a")] == [True, False, False]
    assert [_is_about("a_*", name) for name in ("a_b", "a_", "ab")] == [True, True, False]
