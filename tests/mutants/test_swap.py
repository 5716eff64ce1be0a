"""Faults in code that runs: functions that are loaded, and modules still to be imported."""

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.faults import Fault, faults_of
from tests.mutants.session import in_fork
from tests.mutants.swap import FaultyImport, LoadedFunctions

SOURCE = """
import functools

LEAST = 3

def is_enough(count):
    return count >= LEAST

def counter():
    def is_more(count):
        return count > LEAST
    return is_more

MORE = counter()

class Till:
    @property
    def is_open(self):
        return not self.is_shut
    is_shut = False

TABLE = tuple(each for each in range(5) if each < LEAST)
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module that is imported."""
    (tmp_path / "corner_shop.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("corner_shop")
    del sys.modules["corner_shop"]


def fault(name: str) -> Fault:
    """Return one of the faults of that module."""
    return next(each for each in faults_of(source=SOURCE) if each.name == name)


@pytest.mark.parametrize(
    ("name", "asked", "was"),
    [
        ("count >= LEAST -> count > LEAST", lambda shop: shop.is_enough(3), True),
        ("count > LEAST -> count >= LEAST", lambda shop: shop.MORE(3), False),
        ("count > LEAST -> count >= LEAST", lambda shop: shop.counter()(3), False),
        ("not self.is_shut -> self.is_shut", lambda shop: shop.Till().is_open, True),
    ],
)
def test_a_function_runs_with_the_fault_whoever_holds_it(
    shop: ModuleType, name: str, asked: Callable[[ModuleType], bool], *, was: bool
) -> None:
    file = str(shop.__file__)
    assert asked(shop) is was
    assert LoadedFunctions(frozenset({file})).put_in(fault(name), file) >= 1
    assert asked(shop) is not was


def test_what_ran_at_import_is_told_apart_and_has_the_fault_at_the_next(shop: ModuleType) -> None:
    late = fault("each < LEAST -> each <= LEAST")
    file = str(shop.__file__)
    assert LoadedFunctions(frozenset({file})).put_in(late, file) == 0

    finder = FaultyImport(late, Path("corner_shop.py"))
    finder.install()
    del sys.modules["corner_shop"]
    try:
        again = importlib.import_module("corner_shop")
    finally:
        sys.meta_path.remove(finder)
    assert (shop.TABLE, again.TABLE) == ((0, 1, 2), (0, 1, 2, 3))


def test_a_fork_says_what_it_finds_and_changes_nothing_here() -> None:
    here: list[str] = []

    def noticed() -> str:
        here.append("there")
        return here[-1]

    assert (in_fork(noticed), here) == ("there", [])


def test_a_fork_that_dies_did_not_pass_and_one_that_cannot_run_is_an_error() -> None:
    assert in_fork(lambda: os._exit(3)) == "ended"
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        in_fork(lambda: str(1 // 0))
