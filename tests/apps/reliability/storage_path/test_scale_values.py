"""From how many nodes on it is less: found out of slots, and not where it is not so."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from apps.fleet.facade.placements import AttemptPlace
from apps.reliability.storage_path.scale_values import scaled_values
from apps.telemetry.facade.storage import SlotTraffic
from apps.telemetry.storage_path.slot_samples import HOST
from apps.training.storage_path.scale import emergence

COUNTS = (2, 4, 8, 16, 32, 60)
START = datetime(2026, 9, 1, tzinfo=UTC)
HOSTS = tuple(f"gpu{number:03}" for number in range(60))


def runs() -> tuple[AttemptPlace, ...]:
    """One run of each size, a day each."""
    return tuple(
        AttemptPlace(
            id=number,
            session_id=number,
            session=f"SES-{number}",
            session_name="solar",
            number=1,
            started_at=START + timedelta(days=number),
            ended_at=START + timedelta(days=number, hours=20),
            hosts=frozenset(HOSTS[:count]),
            hosts_asserted=True,
            world_size=8 * count,
            is_own=True,
        )
        for number, count in enumerate(COUNTS)
    )


def slots(seed: int, *, shared_bytes_per_second: float) -> Iterator[SlotTraffic]:
    """Six slots of each run; a node writes 1 GB/s, or its part of what all have together."""
    random = np.random.default_rng(seed)
    for each in runs():
        count = len(each.hosts)
        rate = min(1e9, shared_bytes_per_second / count)
        for number in range(6):
            cells = np.zeros((60, len(HOST)))
            noise = random.lognormal(0, 0.05, count)
            cells[:count, HOST.index("seconds")] = 300
            cells[:count, HOST.index("write_bytes")] = 300 * rate * noise
            cells[:count, HOST.index("write_requests")] = 300 * rate / 2**20
            cells[:count, HOST.index("write_request")] = 300 * noise * 1e9 / rate
            yield SlotTraffic(
                mount="nas1:/ckpt",
                starts_at=each.started_at + timedelta(minutes=5 * number),
                hosts=HOSTS,
                cells=cells,
            )


@pytest.mark.parametrize("seed", range(20))
def test_a_bottleneck_that_all_share_is_found_with_where_it_begins(seed: int) -> None:
    found = emergence(scaled_values(slots=slots(seed, shared_bytes_per_second=12e9), places=runs()))
    rate = next(each for each in found if each.metric == "write-rate")
    assert rate.is_flagged
    assert rate.begins_at_nodes == 16


@pytest.mark.parametrize("seed", range(20))
def test_what_gives_each_node_the_same_is_never_flagged(seed: int) -> None:
    found = emergence(scaled_values(slots=slots(seed, shared_bytes_per_second=1e15), places=runs()))
    assert {each.metric for each in found} >= {"write-rate", "write-request"}
    assert not any(each.is_flagged for each in found)


def test_the_order_of_slots_changes_nothing() -> None:
    told = list(slots(1, shared_bytes_per_second=12e9))
    mixed = [told[at] for at in np.random.default_rng(2).permutation(len(told))]
    first = emergence(scaled_values(slots=told, places=runs()))
    assert emergence(scaled_values(slots=mixed, places=runs()[::-1])) == first
