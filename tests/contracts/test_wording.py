"""What can be said is registered once: each kind with its values, in English and in Korean."""

import ast
from collections.abc import Iterator
from pathlib import Path

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


def test_what_code_yields_is_registered_with_its_values() -> None:
    given = {where: {each.arg for each in call.keywords} for where, call in CALLS.items()}
    kinds = {where: KINDS[_kind_of(call)] for where, call in CALLS.items()}

    assert CALLS
    assert {
        where: given[where]
        for where, kind in kinds.items()
        if not kind.takes <= given[where] <= kind.takes | kind.may_take
    } == {}


def test_every_kind_that_can_be_said_is_yielded() -> None:
    assert {_kind_of(call) for call in CALLS.values()} == set(KINDS) - STORED


def test_a_kind_has_the_same_places_in_both_languages() -> None:
    texts = {words for each in KINDS.values() for words in (each.text, each.many) if words}
    with override("ko"):
        korean = {words: gettext(words) for words in texts}

    assert texts
    assert {
        words: other
        for words, other in korean.items()
        if set(PLACEHOLDER.findall(other)) != set(PLACEHOLDER.findall(words))
    } == {}
    assert {
        words: other
        for words, other in korean.items()
        if (other != words) is not bool(PLACEHOLDER.sub("", words).strip(" :,()"))
    } == {}
