"""What is NaN is absent for a reason, and the names are the exporters' in their shares."""

import time
from collections import Counter

import numpy as np
import pytest

from tests import census
from tests.census import Block, Census
from tests.census.drill_down import windows
from tests.census.tiles import values_of

pytestmark = pytest.mark.sweep

_EXPORTERS = ("dcgm-exporter", "node_exporter", "all-smi")


@pytest.fixture(scope="module")
def second() -> Census:
    return census.plan(2)


def _explained(second: Census, block: Block) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return where absence has a reason that is told: `up`, outages, missing series, no job."""
    rows = {name.name: row for row, name in enumerate(second.names)}
    reasons = np.broadcast_to(values_of(2).absent[:, :, None], block.values.shape).copy()
    for exporter in _EXPORTERS:
        down = block.values[rows[f'up{{job="{exporter}"}}']] == 0
        mine = np.array([n.exporter == exporter for n in second.names])
        reasons[mine] |= down
    reasons |= np.isnan(block.values[rows['up{job="node_exporter"}']])
    reasons[np.array([n.is_working for n in second.names])] = True
    return reasons


def test_nan_is_only_where_something_is_down_or_never_was(second: Census) -> None:
    for number in (0, 31, 88, 137, 219):
        block = census.block_at(second, number)
        assert not (np.isnan(block.values) & ~_explained(second, block)).any()
        assert not np.isinf(block.values).any()


def test_names_are_shared_among_exporters_as_told(second: Census) -> None:
    shares = Counter(name.exporter for name in second.names)
    assert shares == {
        "node_exporter": 523,
        "dcgm-exporter": 164,
        "all-smi": 45,
        "prometheus": 15,
        "nccl-inspector": 4,
    }
    assert all(name.reduction in {"sum", "max", "min", "mean"} for name in second.names)


def test_no_two_nodes_have_the_same_noise(second: Census) -> None:
    block = census.block_at(second, 12)
    name = "DCGM_FI_DEV_NVLINK_COUNT_EFFECTIVE_BER_FLOAT"  # which no activity moves
    row = [each.name for each in second.names].index(name)
    present = block.values[row][~np.isnan(block.values[row]).any(axis=1)]
    alike = np.corrcoef(np.diff(present, axis=1))
    np.fill_diagonal(alike, 0.0)
    assert len(present) > 50
    assert np.abs(alike).max() < 0.4


def test_an_unreachable_node_has_nothing_but_what_the_server_notes(second: Census) -> None:
    label = next(each for each in second.labels if each.kind == "unreachable")
    instant = label.at + 600.0
    block = census.block_at(second, int((instant - second.starts_at) // 21600))
    values = block.values[:, second.hosts.index(label.node), int((instant - block.start) // 60)]
    present = {second.names[row].exporter for row in np.flatnonzero(~np.isnan(values))}
    assert present <= {"prometheus"}


def test_the_code_is_kept_until_the_repair(second: Census) -> None:
    label = next(each for each in second.labels if each.kind == "nvlink")
    block = census.block_at(second, int((label.at - second.starts_at) // 21600))
    row = [name.name for name in second.names].index("DCGM_FI_DEV_XID_ERRORS")
    line = block.values[row, second.hosts.index(label.node)]
    at = int(np.ceil((label.at - block.start) / 60))
    assert label.xid not in set(line[:at].tolist())
    assert label.xid in set(line[at : at + 12].tolist())


def test_a_close_up_holds_forty_signals_of_each_gpu(second: Census) -> None:
    views = census.close_ups(second)
    first = next(views)
    assert first.values.shape == (40, 504, 480)
    assert first.values.dtype == np.float32
    assert first.step == 30.0
    assert first.simulated


def test_close_ups_are_200_quiet_windows_and_one_per_failure() -> None:
    found = windows(2)
    assert sum(label is None for _, label in found) == 200
    assert sum(label is not None for _, label in found) == 18
    assert [start for start, _ in found] == sorted(start for start, _ in found)


def test_a_tile_takes_well_below_its_share_of_five_minutes(second: Census) -> None:
    census.block_at(second, 5)
    begins = time.process_time()
    for number in range(100, 106):
        census.block_at(second, number)
    assert (time.process_time() - begins) / 6 < 300 / 220
