"""What saves and loads cost."""

from dataclasses import replace

import pytest

from apps.training.storage_path.ledger import CheckpointEntry, ledger_of
from apps.training.storage_path.phases import PhaseKind


def entry(
    session: str = "s", kind: PhaseKind = PhaseKind.LOAD, begins: float = 0, **more: float
) -> CheckpointEntry:
    lasts = more.pop("lasts", 33 * 60.0)
    return CheckpointEntry(
        session=session,
        kind=kind,
        begins_seconds=begins,
        ends_seconds=begins + lasts,
        gpu_count=480,
        moved_bytes=more.get("moved"),
        idled_share=more.get("idled", 1.0),
    )


def test_a_load_of_33_minutes_idles_every_gpu() -> None:
    (load,) = ledger_of([entry()], price_per_gpu_hour=2.0).sums
    assert load.mean_seconds == 1980
    assert load.idled_gpu_hours == pytest.approx(264)
    assert load.cost == pytest.approx(528)


def test_a_save_beside_computing_costs_its_share() -> None:
    (save,) = ledger_of([entry(kind=PhaseKind.SAVE, lasts=300, idled=0.25)]).sums
    assert save.idled_gpu_hours == pytest.approx(10)
    assert save.cost is None


def test_bytes_that_nobody_tells_are_counted_as_such() -> None:
    (load,) = ledger_of([entry(moved=5e12), entry(begins=9000)]).sums
    assert (load.moved_bytes, load.untold_bytes_count, load.count) == (5e12, 1, 2)


def test_entries_count_once_in_any_order() -> None:
    told = [entry("b", begins=5), entry("a", PhaseKind.SAVE), entry("a")]
    assert ledger_of([*reversed(told), *told]) == ledger_of(told)


def test_an_end_before_its_begin_is_refused() -> None:
    with pytest.raises(ValueError, match="load of s ends before it begins"):
        ledger_of([entry(lasts=-1)])


def test_what_tells_no_end_took_no_time_that_is_known() -> None:
    half = replace(entry(begins=9000, lasts=0), is_whole=False)
    (load,) = ledger_of([entry(), half]).sums
    assert (load.count, load.mean_seconds, load.longest_seconds) == (2, 1980, 1980)
    assert load.untold_seconds_count == 1
    (alone,) = ledger_of([half]).sums
    assert (alone.mean_seconds, alone.longest_seconds) == (None, None)
