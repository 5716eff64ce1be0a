"""Modules with faults in them run as they did until one is turned on, and say which are met."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutants.faults import faults_of
from tests.mutants.switch import FaultyImport, Switch

SOURCE = """
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
        return not self.is_shut and self.cash > 0
    is_shut = False
    cash = 1

TABLE = tuple(each for each in range(5) if each < LEAST)
"""
FAULTS = dict(enumerate(faults_of(source=SOURCE)))
NUMBERS = {fault.name: at for at, fault in FAULTS.items()}


@pytest.fixture
def switch(monkeypatch: pytest.MonkeyPatch) -> Switch:
    """A switch that is off."""
    installed = Switch()
    monkeypatch.setattr("builtins.__fault__", installed, raising=False)
    return installed


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, switch: Switch) -> Iterator[ModuleType]:
    """A module with all its faults."""
    (tmp_path / "corner_shop.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    FaultyImport({Path("corner_shop.py"): FAULTS}).install()
    yield importlib.import_module("corner_shop")
    del sys.modules["corner_shop"]


@pytest.mark.parametrize(
    ("name", "asked", "was"),
    [
        ("count >= LEAST -> count > LEAST", lambda shop: shop.is_enough(3), True),
        ("count > LEAST -> count >= LEAST", lambda shop: shop.MORE(3), False),
        ("count > LEAST -> count >= LEAST", lambda shop: shop.counter()(3), False),
        ("not self.is_shut -> self.is_shut", lambda shop: shop.Till().is_open, True),
        ("self.cash > 0 -> self.cash > 1", lambda shop: shop.Till().is_open, True),
    ],
)
def test_one_fault_is_turned_on_wherever_its_function_is_held(
    shop: ModuleType, switch: Switch, name: str, asked: Callable[[ModuleType], bool], *, was: bool
) -> None:
    assert asked(shop) is was
    switch.on = NUMBERS[name]
    assert asked(shop) is not was


def test_the_switch_knows_which_faults_are_met(shop: ModuleType, switch: Switch) -> None:
    late = NUMBERS["each < LEAST -> each <= LEAST"]
    assert switch.asked == {late}  # at import
    switch.asked.clear()
    assert shop.is_enough(3)
    assert switch.asked == {NUMBERS["count >= LEAST -> count > LEAST"]}


def test_a_fault_that_is_on_from_the_start_is_there_at_import(
    shop: ModuleType, switch: Switch
) -> None:
    switch.on = NUMBERS["each < LEAST -> each <= LEAST"]
    del sys.modules["corner_shop"]
    again = importlib.import_module("corner_shop")
    assert (shop.TABLE, again.TABLE) == ((0, 1, 2), (0, 1, 2, 3))
