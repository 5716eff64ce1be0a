"""Blocked tasks on one host while its peers have none: never in a save of all, never a moment."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.detection.detectors.stuck import STUCK
from apps.diagnosis.model import Role
from tests.diagnosis.detection.detectors.past import at, in_blocks, over_days, signal, working
from tests.diagnosis.detection.detectors.scene import HOSTS, nodes

TIMES = 120
HOSTS_40 = tuple(f"gpu{number:03}" for number in range(1, 41))
BLOCKED = signal("node.blocked", "stuck")


def waiting(first: int = 60, end: int = 66, tasks: float = 2.0) -> np.ndarray:
    """Return blocked tasks of forty hosts, of which one has some for a time."""
    values = np.zeros((40, TIMES))
    values[2, first:end] = tasks
    return values


def told(values: np.ndarray, columns: int = TIMES) -> list[tuple[object, ...]]:
    """Return what is told of the hosts."""
    frame = over_days(BLOCKED, values, nodes(HOSTS_40))
    found = in_blocks(STUCK, frame, working(HOSTS_40), columns=columns)
    return [(a.entity.host, a.starts_at, a.noticed_at, a.ends_at) for a in found]


def test_two_tasks_for_four_minutes_where_nobody_else_has_one() -> None:
    frame = over_days(BLOCKED, waiting(), nodes(HOSTS_40))
    (anomaly,) = in_blocks(STUCK, frame, working(HOSTS_40))
    assert (anomaly.kind, anomaly.entity.host) == ("stuck", HOSTS[2])
    assert (anomaly.starts_at, anomaly.noticed_at) == (at(60), at(63))
    assert anomaly.value == pytest.approx(2.0)
    assert anomaly.role is Role.CONTEXT
    assert "gpu-gsp-timeout" in anomaly.causes


def test_three_minutes_are_a_moment() -> None:
    assert not told(waiting(end=63))


def test_while_many_wait_nothing_is_said_of_one() -> None:
    values = waiting(tasks=20.0)
    values[10:, 55:70] = 6.0
    assert not told(values)


def test_one_odd_host_beside_it_hides_nothing() -> None:
    values = waiting()
    values[9, :] = 5.0
    assert {each[0] for each in told(values)} == {HOSTS_40[2], HOSTS_40[9]}


def test_two_hosts_are_no_peers() -> None:
    frame = over_days(BLOCKED, waiting()[1:3], nodes(HOSTS_40[1:3]))
    assert not in_blocks(STUCK, frame, working(HOSTS_40[1:3]))


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(min_value=0, max_value=2**32 - 1),
    columns=st.integers(min_value=1, max_value=TIMES),
)
def test_any_cut_tells_the_same(seed: int, columns: int) -> None:
    chance = np.random.default_rng(seed)
    values = chance.poisson(0.05, (40, TIMES)).astype(np.float64)
    values[2, 40:100] = chance.poisson(1.5, 60)
    values[chance.random(values.shape) < 0.05] = np.nan
    assert told(values, columns=columns) == told(values)
