"""How far a part stands from its peers: in the bad direction, beyond what flickers."""

from dataclasses import replace

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import BadDirection
from apps.reliability.fleet_grid.peer_distance import MOST, peer_distances

TEMPERATURE = catalog().signals["gpu.temperature"]  # floor in °C, up is bad


def _far(
    values: list[float], bad: BadDirection = BadDirection.UP, floor: float = 2.0
) -> list[float]:
    signal = replace(TEMPERATURE, bad=bad, floor=floor)
    groups = (np.arange(len(values)),)
    found = peer_distances(signal=signal, values=np.array(values)[:, None], groups=groups)
    return [float(each) for each in found[:, 0]]


def test_one_that_is_hotter_is_worse_and_one_that_is_cooler_is_not() -> None:
    far = _far([60.0, 60.0, 60.0, 60.0, 80.0, 50.0])
    assert far[4] == pytest.approx(10)
    assert far[5] == pytest.approx(-5)


def test_where_low_is_bad_the_lower_one_is_worse() -> None:
    assert _far([60.0, 60.0, 60.0, 60.0, 50.0], BadDirection.DOWN)[4] == pytest.approx(5)


@pytest.mark.parametrize("bad", [BadDirection.EITHER, BadDirection.NONE])
def test_without_a_direction_both_ways_count(bad: BadDirection) -> None:
    far = _far([60.0, 60.0, 60.0, 60.0, 50.0, 70.0], bad)
    assert far[4] == far[5] == pytest.approx(5)


def test_spread_among_peers_makes_the_same_distance_less() -> None:
    calm, wide = _far([60.0, 60, 60, 60, 60, 70]), _far([50.0, 55, 60, 65, 70, 80])
    assert calm[5] > wide[5] > 0


def test_without_a_floor_a_share_of_the_middle_counts() -> None:
    assert _far([100.0] * 5 + [103.0], floor=0.0)[5] == pytest.approx(3)
    assert _far([0.0] * 5 + [1.0], floor=0.0)[5] == pytest.approx(1)


def test_no_distance_is_beyond_the_most() -> None:
    assert _far([0.0] * 5 + [1e9])[5] == MOST


def test_of_few_peers_and_without_a_value_nothing_is_told() -> None:
    assert np.isnan(_far([60.0, 60.0, 99.0])).all()
    far = _far([60.0, 60.0, 60.0, 60.0, float("nan")])
    assert np.isnan(far).tolist() == [False] * 4 + [True]


def test_each_group_has_its_own_middle() -> None:
    values = np.array([60.0] * 4 + [80.0] * 4)[:, None]
    found = peer_distances(
        signal=TEMPERATURE, values=values, groups=(np.arange(4), np.arange(4, 8))
    )
    assert found.tolist() == [[0.0]] * 8


def test_each_instant_has_its_own_middle() -> None:
    values = np.array([[60.0, 80.0]] * 4 + [[80.0, 80.0]])
    found = peer_distances(signal=TEMPERATURE, values=values, groups=(np.arange(5),))
    assert found[4, 0] > 1
    assert found[4, 1] == 0
