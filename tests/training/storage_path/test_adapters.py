"""Whether a save is as fast as the adapter of its node lets it be."""

from dataclasses import replace

import pytest

from apps.training.storage_path.adapters import AdapterScene, adapter_reading

# 24 GB/s of a save on a 200 Gbit/s adapter: headers are the rest.
FULL = AdapterScene(
    carried_bytes_per_second=24e9, moved_bytes_per_second=23e9, rated_bytes_per_second=25e9
)


def test_a_full_adapter_that_carries_the_save_is_a_reading() -> None:
    found = adapter_reading(FULL)
    assert found.is_bound
    assert found.rated_share == pytest.approx(0.96)


@pytest.mark.parametrize(
    "changed",
    [
        replace(FULL, carried_bytes_per_second=21e9, moved_bytes_per_second=20e9),  # 84 %
        replace(FULL, moved_bytes_per_second=11e9),  # most of it is something else
        replace(FULL, rated_bytes_per_second=50e9),
    ],
)
def test_an_adapter_with_room_or_full_of_other_traffic_is_none(changed: AdapterScene) -> None:
    assert not adapter_reading(changed).is_bound


def test_what_nobody_rated_is_not_judged() -> None:
    found = adapter_reading(replace(FULL, rated_bytes_per_second=None))
    assert found.is_near_rated is None
    assert found.rated_share is None
    assert not found.is_bound
