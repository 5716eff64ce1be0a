"""The census: the same whatever was asked before, counters that count, absence only as told."""

import numpy as np
import pytest

from tests import census
from tests.census import Block, Census
from tests.census.tiles import Values

pytestmark = pytest.mark.sweep


@pytest.fixture(scope="module")
def first() -> Census:
    return census.plan(1)


def test_a_block_is_the_same_whatever_was_asked_before(first: Census) -> None:
    direct = Values(1).tile(77)
    census.block_at(first, 3)
    again = census.block_at(first, 77)
    np.testing.assert_array_equal(direct.values, again.values)
    np.testing.assert_array_equal(direct.base, again.base)


def test_shorter_blocks_are_cut_from_the_same_values(first: Census) -> None:
    whole = census.block_at(first, 40)
    parts = [census.block_at(first, 40 * 3 + part, hours=2) for part in range(3)]
    joined = np.concatenate([part.values for part in parts], axis=2)
    np.testing.assert_array_equal(joined, whole.values)
    assert [part.start for part in parts] == [whole.start + 7200 * part for part in range(3)]


def test_there_are_751_names_of_63_nodes(first: Census) -> None:
    block = census.block_at(first, 0)
    assert block.values.shape == (751, 63, 360)
    assert block.values.dtype == np.float32
    assert len({name.name for name in first.names}) == 751


def test_the_census_has_its_17_failures_and_the_remapping_gpu(first: Census) -> None:
    groups = [label.group for label in first.labels]
    assert (groups.count("xid"), groups.count("non-xid"), groups.count("remap")) == (10, 7, 1)
    codes = sorted(label.xid for label in first.labels if label.xid)
    assert [c for c in codes if c not in {145, 149}] == [79, 79, 94, 94, 119]


@pytest.mark.parametrize("seed", range(1, 13))
def test_at_most_six_of_the_ten_xid_cases_are_preceded_by_anything(seed: int) -> None:
    labels = [label for label in census.plan(seed).labels if label.group == "xid"]
    preceded = [label for label in labels if label.precursor is not None]
    assert len(labels) == 10
    assert 3 <= len(preceded) <= 6
    assert all(p.precursor and p.precursor.starts_at < p.at for p in preceded)


def _absolute(block: Block, rows: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.asarray(block.base[rows][:, :, None] + block.values[rows], dtype=np.float64)


def test_counters_fall_only_when_their_node_was_restarted(first: Census) -> None:
    rows = [
        i
        for i, name in enumerate(first.names)
        if name.prometheus_type == "counter" and name.exporter == "node_exporter"
    ]
    rows = [i for i in rows if first.names[i].scope == "boot"]
    boot = [i for i, name in enumerate(first.names) if name.name == "node_boot_time_seconds"]
    for number in range(20, 218, 66):
        pair = [census.block_at(first, number), census.block_at(first, number + 1)]
        joined = np.concatenate([_absolute(block, rows) for block in pair], axis=2)
        booted = np.concatenate([_absolute(block, boot) for block in pair], axis=2)[0]
        quiet = np.flatnonzero((np.diff(booted[:, ::1], axis=1) == 0).all(axis=1))
        falls = np.diff(joined[:, quiet], axis=2) < 0
        assert not falls.any(), [first.names[rows[i]].name for i in np.unique(np.nonzero(falls)[0])]
