"""What can be said is registered once: each kind with its values, in English and in Korean."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils.translation import gettext, override

from apps.wording import KINDS
from apps.wording.speaker import PLACEHOLDER

APPS = Path(__file__).parents[2] / "apps"
# What only rows of former versions tell.
STORED = {"verdict-of-layer", "resolved", "reopened"}


def _calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted(APPS.rglob("*.py")):
        # A migration brings back what was written; it yields whatever it finds.
        if "migrations" in path.parts or path.name == "statements.py":
            continue
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "statement(" in text else ():
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id == "statement":
                yield f"{path.relative_to(APPS)}:{node.lineno}:{node.col_offset}", node


def _kind_of(call: ast.Call) -> str:
    (given,) = call.args
    assert isinstance(given, ast.Constant), "a kind stands in the code as it is"
    return str(given.value)


CALLS = dict(_calls())


@pytest.mark.parametrize("where", CALLS)
def test_what_code_yields_is_registered_with_its_values(where: str) -> None:
    call = CALLS[where]
    wording = KINDS[_kind_of(call)]
    given = {each.arg for each in call.keywords}
    assert wording.takes <= given <= wording.takes | wording.may_take


def test_every_kind_that_can_be_said_is_yielded() -> None:
    assert {_kind_of(call) for call in CALLS.values()} == set(KINDS) - STORED


@pytest.mark.parametrize("kind", sorted(name for name, each in KINDS.items() if each.text))
def test_a_kind_has_the_same_places_in_both_languages(kind: str) -> None:
    for words in filter(None, (KINDS[kind].text, KINDS[kind].many)):
        with override("ko"):
            korean = gettext(words)
        assert set(PLACEHOLDER.findall(korean)) == set(PLACEHOLDER.findall(words))
        is_words = bool(PLACEHOLDER.sub("", words).strip(" :,()"))
        assert (korean != words) is is_words
