"""From how many nodes on a metric gets worse."""

import numpy as np
import pytest

from apps.training.storage_path.scale import ScaledValue, emergence

COUNTS = (2, 4, 8, 16, 32, 60)


def rows(*, carried: float, seed: int = 1, is_more_better: bool = True) -> list[ScaledValue]:
    """Return three runs of each size that share a path; each node alone moves 2."""
    random = np.random.default_rng(seed)
    return [
        ScaledValue(
            metric="write",
            run=f"{count}-{run}",
            node=f"n{node}",
            node_count=count,
            value_per_node=(min(2, carried / count) if is_more_better else max(2, count / carried))
            * random.lognormal(0, 0.05),
            is_more_better=is_more_better,
        )
        for count in COUNTS
        for run in range(3)
        for node in range(count)
    ]


def test_a_shared_path_is_found_with_where_it_begins() -> None:
    (found,) = emergence(rows(carried=40))
    assert found.is_flagged
    assert found.begins_at_nodes == 32
    assert (found.few_nodes, found.many_nodes) == (max(c for c in COUNTS if c <= 4), 60)
    assert found.degraded_share == pytest.approx(1 - 40 / 60 / 2, abs=0.05)


def test_what_scales_is_not_flagged() -> None:
    (found,) = emergence(rows(carried=1000))
    assert (found.is_flagged, found.begins_at_nodes) == (False, None)


def test_a_latency_gets_worse_upwards() -> None:
    (found,) = emergence(rows(carried=10, is_more_better=False))
    assert found.is_flagged
    assert found.degraded_share == pytest.approx(2.0, abs=0.2)


def test_half_as_much_is_not_yet_enough() -> None:
    assert not emergence(rows(carried=70))[0].is_flagged


def test_few_sizes_tell_nothing() -> None:
    assert emergence(each for each in rows(carried=40) if each.node_count <= 8) == ()


def test_rows_in_any_order_and_twice_are_the_same() -> None:
    told = rows(carried=40)
    assert emergence([*reversed(told), *told]) == emergence(told)
