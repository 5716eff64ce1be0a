"""Shares of what the storage path could carry."""

import pytest

from apps.training.storage_path.phases import PhaseKind
from apps.training.storage_path.rated import (
    DenominatorKind,
    RatedEntry,
    StorageLink,
    rated_at,
    rated_shares,
)

LOAD = PhaseKind.LOAD


def entry(rate: float, valid: float = 0, entered: float = 0, by: str = "ada") -> RatedEntry:
    return RatedEntry(
        kind=LOAD,
        bytes_per_second=rate,
        valid_from_seconds=valid,
        entered_seconds=entered,
        entered_by=by,
    )


FIRST, CORRECTED = entry(1500e9), entry(700e9, entered=9, by="ben")


def shares(*history: RatedEntry, slots: float | None = None) -> dict[DenominatorKind, float]:
    found = rated_shares(
        kind=LOAD,
        bytes_per_second=150.8e9,
        at_seconds=5,
        history=history,
        link=StorageLink(node_count=60, slot_bytes_per_second=slots),
    )
    return {each.denominator: each.share for each in found}


def test_all_three_denominators_are_told() -> None:
    found = shares(CORRECTED, slots=1.06e9)
    assert found[DenominatorKind.RATED] == pytest.approx(0.215, abs=0.001)
    assert found[DenominatorKind.ADAPTERS] == pytest.approx(150.8 / 1500)
    assert found[DenominatorKind.SLOTS] == pytest.approx(150.8 / 63.6)


def test_a_corrected_denominator_counts_from_its_own_time() -> None:
    history = [entry(900e9, valid=100), CORRECTED, FIRST]
    assert rated_at(history, kind=LOAD, at_seconds=50) == CORRECTED
    assert rated_at(history, kind=LOAD, at_seconds=100) == entry(900e9, valid=100)
    assert rated_at(reversed(history), kind=LOAD, at_seconds=50) == CORRECTED


def test_who_entered_it_is_told() -> None:
    told = rated_shares(
        kind=LOAD,
        bytes_per_second=1,
        at_seconds=5,
        history=[CORRECTED],
        link=StorageLink(node_count=1),
    )
    assert [each.entered_by for each in told] == ["ben", ""]


def test_what_is_not_known_is_no_share() -> None:
    assert shares().keys() == {DenominatorKind.ADAPTERS}
    assert rated_at([entry(1, valid=10)], kind=LOAD, at_seconds=9) is None
    assert rated_at([FIRST], kind=PhaseKind.SAVE, at_seconds=9) is None
