"""Saves and loads by what a cluster writes and reads."""

from dataclasses import replace

import numpy as np
import pytest

from apps.training.storage_path.phases import ClusterRate, PhaseKind, phases_of
from tests.cast.checkpoint_rates import season

IDLE = ClusterRate(
    at_seconds=0, write_bytes_per_second=1e9, read_bytes_per_second=1e9, utilization=0.9
)


def rows(
    *,
    write: dict[int, float] | None = None,
    read: dict[int, float] | None = None,
    utilization: float | None = 0.1,
    count: int = 40,
) -> list[ClusterRate]:
    """Return scrapes every 30 s; in those that are named rates are as said."""
    write, read = write or {}, read or {}
    return [
        replace(
            IDLE,
            at_seconds=30.0 * at,
            write_bytes_per_second=write.get(at, 1e9),
            read_bytes_per_second=read.get(at, 1e9),
            utilization=utilization if at in read else 0.9,
        )
        for at in range(count)
    ]


def test_a_save_is_more_than_20_gb_written_a_second() -> None:
    (found,) = phases_of(rows(write=dict.fromkeys(range(10, 15), 30e9)))
    assert found.kind is PhaseKind.SAVE
    assert (found.begins_seconds, found.ends_seconds) == (270.0, 420.0)
    assert found.moved_bytes == pytest.approx(30e9 * 150)
    assert phases_of(rows(write=dict.fromkeys(range(10, 15), 20e9))) == ()


def test_what_is_read_beside_computing_is_no_load() -> None:
    read = dict.fromkeys(range(10, 15), 50e9)
    assert [each.kind for each in phases_of(rows(read=read))] == [PhaseKind.LOAD]
    assert phases_of(rows(read=read, utilization=0.5)) == ()
    assert phases_of(rows(read=read, utilization=None)) == ()


def test_one_slow_scrape_does_not_part_a_phase_and_two_do() -> None:
    one = {at: 30e9 for at in range(10, 20) if at != 14}
    two = {at: 30e9 for at in range(10, 20) if at not in {14, 15}}
    assert len(phases_of(rows(write=one))) == 1
    assert len(phases_of(rows(write=two))) == 2


def test_what_lies_in_a_long_gap_is_not_known() -> None:
    told = rows(write=dict.fromkeys(range(10, 30), 30e9))
    first, second = phases_of(told[:15] + told[25:])
    assert first.ends_seconds == 420.0
    assert second.begins_seconds == 720.0


def test_a_phase_begins_inside_of_its_first_interval() -> None:
    (found,) = phases_of(rows(write={10: 30e9, 11: 60e9, 12: 60e9, 13: 60e9, 14: 45e9}))
    assert found.begins_seconds == pytest.approx(285.0)
    assert found.ends_seconds == pytest.approx(412.5)
    assert found.mean_bytes_per_second == pytest.approx(60e9)


def test_rows_in_any_order_and_twice_are_the_same() -> None:
    told = rows(write=dict.fromkeys(range(10, 15), 30e9), read=dict.fromkeys(range(20, 30), 9e9))
    order = np.random.default_rng(3).permutation(2 * len(told)).tolist()
    assert phases_of([*told, *told][at] for at in order) == phases_of(told)


def test_too_few_rows_tell_nothing() -> None:
    assert phases_of([]) == phases_of([IDLE]) == ()


def test_a_season_of_523_is_found() -> None:
    played = season(seed=11)
    found = phases_of(played.rows)
    assert len(played.phases) == len(found) == 523
    for real, one in zip(
        sorted(played.phases, key=lambda each: each.begins_seconds), found, strict=True
    ):
        assert one.kind is real.kind
        assert one.begins_seconds == pytest.approx(real.begins_seconds, abs=60)
        assert one.ends_seconds == pytest.approx(real.ends_seconds, abs=60)
