"""The recorded dumps of two sessions with injected faults: the exact ranks, however they come."""

import json
from functools import cache
from pathlib import Path
from random import Random

import pytest

from apps.diagnosis.dumps.dump_lines import as_text
from apps.diagnosis.dumps.flight.flight_lines import records_of
from apps.diagnosis.dumps.flight.flight_recorder import FlightRecord, records
from apps.diagnosis.dumps.flight.plain_pickle import plain
from apps.diagnosis.dumps.standstill import standstill
from tests.shared_files import SHARED, needs_shared

FOLDER = SHARED / "data" / "flight_recorder"
CASES = sorted(path.stem for path in FOLDER.glob("*.json"))
pytestmark = [needs_shared, pytest.mark.parametrize("case", CASES)]


@cache
def expected(case: str) -> tuple[int, ...]:
    """Return the ranks that an expert's tool names."""
    last = (FOLDER / f"{case}_reference.txt").read_text().strip().rpartition("|")[2]
    return tuple(sorted(int(one) for one in last.split(",")))


@cache
def pickles(case: str) -> tuple[Path, ...]:
    """Return the dumps as they were written."""
    return tuple(sorted((FOLDER / case).glob("_dump_*")))


def _read(path: Path) -> list[FlightRecord]:
    return records_of(texts=(as_text(data=path.read_bytes(), name=path.name) or "").split("\n"))


@cache
def recorded(case: str) -> tuple[FlightRecord, ...]:
    """Return the records of all ranks."""
    return tuple(one for path in pickles(case) for one in _read(path))


def test_every_pickle_equals_its_json(case: str) -> None:
    together = json.loads((FOLDER / f"{case}.json").read_text())
    for path in pickles(case):
        rank = path.name.removeprefix("_dump_")
        assert json.loads(json.dumps(plain(data=path.read_bytes()))) == together[rank]


def test_the_exact_ranks_are_named(case: str) -> None:
    assert standstill(records=recorded(case)).stopped == expected(case)


def test_the_json_of_all_ranks_names_the_same(case: str) -> None:
    value = json.loads((FOLDER / f"{case}.json").read_text())
    assert standstill(records=records(dump=value, name=case)).stopped == expected(case)


def test_no_call_of_a_healthy_program_is_a_mismatch(case: str) -> None:
    found = standstill(records=recorded(case))
    assert (found.mismatch, found.crossed, found.stalled) == (None, (), None)


@pytest.mark.parametrize("seed", range(20))
def test_shuffled_doubled_and_mixed_forms_name_the_same(case: str, seed: int) -> None:
    dice = Random(seed)  # noqa: S311  repeatable, not secret
    together = json.loads((FOLDER / f"{case}.json").read_text())
    found = [*recorded(case), *dice.sample(recorded(case), 5)]
    found += [
        one
        for rank in dice.sample(range(16), 6)
        for one in records(dump=together[str(rank)], name=f"rank{rank}.json")
    ]
    dice.shuffle(found)
    assert standstill(records=found).stopped == expected(case)


@pytest.mark.parametrize("lost", range(16))
def test_a_lost_dump_accuses_nobody_else(case: str, lost: int) -> None:
    found = standstill(records=[one for one in recorded(case) if one.rank != lost]).stopped
    known = tuple(rank for rank in expected(case) if rank != lost)
    assert found == (known or (lost,))


@pytest.mark.parametrize("seed", range(20))
def test_with_half_of_the_dumps_nobody_innocent_is_accused(case: str, seed: int) -> None:
    dice = Random(seed)  # noqa: S311  repeatable, not secret
    kept = dice.sample(recorded(case), dice.randint(8, 15))
    found = standstill(records=kept)
    assert set(found.missing) <= set(expected(case))
