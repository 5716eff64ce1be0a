"""Most texts hide nothing: they are told by one look at all patterns, which misses none."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

import pytest

from apps.diagnosis.patterns import Pattern
from apps.diagnosis.signatures.load import load_catalog
from apps.sharing.redaction import steps, text
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.step_patterns import LONGEST_ASKED, SOURCES, StepPattern, may_find
from tests.apps.sharing.redaction.owner import SUPPORT, read

PLAIN = (
    "Rank 17 gave up waiting for its collective after 600 s",
    "Request 4 waited for the file server",
    "",
    "여덟 번째 장치가 응답하지 않음",
)


def patterns_of_steps() -> Iterator[tuple[str, Pattern]]:
    for found in iter_modules(steps.__path__):
        module = import_module(f"{steps.__name__}.{found.name}")
        for name, value in vars(module).items():
            for pattern in patterns_in(value):
                yield f"{found.name}.{name}", pattern


def patterns_in(value: object) -> Iterator[Pattern]:
    if isinstance(value, Pattern):
        yield value
    elif isinstance(value, dict):
        yield from patterns_in(tuple(value.values()))
    elif isinstance(value, tuple | list | frozenset):
        for each in value:
            yield from patterns_in(each)


def test_every_pattern_of_a_step_is_looked_for_at_once() -> None:
    found = list(patterns_of_steps())
    assert len(found) > 40
    assert [name for name, each in found if not isinstance(each, StepPattern)] == []
    assert [name for name, each in found if each.pattern not in SOURCES] == []


def test_a_text_in_which_nothing_is_found_meets_no_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def step(_hiding: Hiding) -> None:
        raise AssertionError

    monkeypatch.setattr(text, "STEPS", (step,))
    assert [read(each) for each in PLAIN] == list(PLAIN)


def test_a_long_text_meets_the_steps() -> None:
    assert may_find(b"a b " * (LONGEST_ASKED // 4) + b"a")
    assert not may_find(b"a b " * (LONGEST_ASKED // 4))


def test_the_look_changes_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for each in load_catalog().values() for line in each.examples]
    told = [read(line, profile=SUPPORT) for line in lines]
    monkeypatch.setattr(text, "may_find", lambda _data: True)
    assert told == [read(line, profile=SUPPORT) for line in lines]
    assert told != lines
