"""Collapse: a host that goes quiet while its peers work; never the pause of all, never a moment."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.collapse import COLLAPSE
from tests.diagnosis.detection.detectors.past import at, in_blocks, over_days, signal, working
from tests.diagnosis.detection.detectors.scene import HOSTS, nodes

TIMES = 120
INTERRUPTS = signal("node.interrupts", "collapse")
RUNNING = signal("node.running", "collapse")


def interrupts(seed: int = 1) -> np.ndarray:
    """Return counters of eight hosts that serve ten thousand interrupts a second."""
    chance = np.random.default_rng(seed)
    return np.cumsum(chance.normal(10_000, 500, (8, TIMES)) * 60.0, axis=1) + 1e9


def broken(values: np.ndarray, share: float = 0.3, first: int = 60, end: int = TIMES) -> np.ndarray:
    """Return the counters when one host serves only a share from some column on."""
    grown = np.diff(values, axis=1, prepend=values[:, :1])
    grown[2, first:end] *= share
    summed: np.ndarray = values[:, :1] + np.cumsum(grown, axis=1)
    return summed


def test_a_third_of_the_peers_interrupts_for_ten_minutes_is_told() -> None:
    frame = over_days(INTERRUPTS, broken(interrupts()), nodes())
    (anomaly,) = in_blocks(COLLAPSE, frame, working())
    assert (anomaly.entity.host, anomaly.kind) == (HOSTS[2], "collapse")
    assert anomaly.starts_at == at(60)
    assert anomaly.noticed_at == at(68)
    assert anomaly.value == pytest.approx(3000, rel=0.1)
    assert anomaly.baseline == pytest.approx(10_000, rel=0.1)


def test_eight_minutes_are_a_pause() -> None:
    frame = over_days(INTERRUPTS, broken(interrupts(), end=68), nodes())
    assert not in_blocks(COLLAPSE, frame, working())


def test_a_reboot_of_the_counter_is_no_collapse() -> None:
    values = interrupts()
    values[2, 60:] -= values[2, 60] - 1.0
    assert not in_blocks(COLLAPSE, over_days(INTERRUPTS, values, nodes()), working())


def test_fewer_than_two_tasks_where_others_run_more_than_ten() -> None:
    chance = np.random.default_rng(2)
    values = chance.integers(12, 20, (8, TIMES)).astype(np.float64)
    values[5, 40:] = 1.0
    (anomaly,) = in_blocks(COLLAPSE, over_days(RUNNING, values, nodes()), working())
    assert anomaly.entity.host == HOSTS[5]


def test_idle_hosts_have_nothing_to_lose() -> None:
    values = np.full((8, TIMES), 3.0)
    values[5, 40:] = 0.0
    assert not in_blocks(COLLAPSE, over_days(RUNNING, values, nodes()), working())


def test_a_flood_of_pages_is_told_where_more_is_bad() -> None:
    chance = np.random.default_rng(3)
    pages = replace(signal("node.paging.out", "collapse"), bad=INTERRUPTS.bad.UP)
    grown = chance.normal(200, 10, (8, TIMES)) * 60.0
    grown[1, 50:] *= 8
    frame = over_days(pages, np.cumsum(grown, axis=1), nodes())
    (anomaly,) = in_blocks(COLLAPSE, frame, working())
    assert (anomaly.entity.host, anomaly.kind) == (HOSTS[1], "flood")


def test_two_hosts_have_no_middle() -> None:
    frame = over_days(INTERRUPTS, broken(interrupts())[1:3], nodes()[1:3])
    assert not in_blocks(COLLAPSE, frame, working(HOSTS[1:3]))


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=2**32 - 1),
    columns=st.integers(min_value=1, max_value=TIMES),
)
def test_gaps_resets_and_cuts(seed: int, columns: int) -> None:
    chance = np.random.default_rng(seed)
    values = broken(interrupts(seed)).round()
    values[chance.random(values.shape) < 0.03] = np.nan
    values[4, 30:] -= np.nan_to_num(values[4, 29])
    frame = over_days(INTERRUPTS, values, nodes())
    whole = in_blocks(COLLAPSE, frame, working(), columns=TIMES)
    cut = in_blocks(COLLAPSE, frame, working(), columns=columns)
    assert {each.entity.host for each in whole} <= {HOSTS[2]}
    assert [(a.entity, a.starts_at, a.noticed_at, a.ends_at) for a in whole] == [
        (a.entity, a.starts_at, a.noticed_at, a.ends_at) for a in cut
    ]
