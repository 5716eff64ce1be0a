"""RE2 finds what `re` finds, with the same groups, in every text that can be thought of."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings

from apps.diagnosis.patterns import Pattern, PatternMatch
from apps.diagnosis.signatures.load import Signature, load_catalog
from apps.diagnosis.signatures.match import default_matcher
from tests.diagnosis.signatures.attacks import attacks
from tests.diagnosis.signatures.blocks import LINES
from tests.shared_files import SHARED, needs_shared

CATALOG = load_catalog()
EXAMPLES = [line for one in CATALOG.values() for line in (*one.examples, *one.counterexamples)]
# Of one letter, two, three and four bytes, and what stands for bytes that are no text.
WIDE = ("é", "\u200b", "한국", "\U0001f525", "\ufffd", "\x00", "\x7f", "\xa0", "\x85", "\u2028")
SHORT = 300  # where `re` is slow it must not be waited for
PARTS_OF = 7


@cache
def by_re(key: str) -> re.Pattern[str]:
    return re.compile(CATALOG[key].source, re.ASCII)


def told(found: PatternMatch | re.Match[str] | None) -> object:
    """Return all that anybody asks of a match."""
    if found is None:
        return None
    return found.start(), found.end(), found.group(), found.groupdict()


def differing(keys: Iterable[str], line: str) -> Iterator[tuple[str, str, object, object]]:
    """Yield the signatures that the two engines don't agree on."""
    for key in keys:
        mine, theirs = told(CATALOG[key].pattern.search(line)), told(by_re(key).search(line))
        if mine != theirs:
            yield key, line, mine, theirs


def candidates(line: str) -> list[str]:
    return [one.key for one in default_matcher().candidates(line=line)]


def widened(line: str) -> Iterator[str]:
    """Yield a line with letters of several bytes at its ends, between and in place of its own."""
    for number, letter in enumerate(WIDE):
        yield letter + line + letter
        yield re.sub(r"\b", letter, line, count=number + 1)
        yield line.replace(" ", letter)
        cut = len(line) * number // len(WIDE)
        yield line[:cut] + letter + line[cut + 1 :]


def test_every_known_line_says_the_same_to_both_engines() -> None:
    lines = [each for line in EXAMPLES for each in (line, line[:-1], line[1:], line + " " + line)]
    assert [one for line in lines for one in differing(candidates(line), line)] == []


def test_letters_of_several_bytes_change_neither_hits_nor_groups() -> None:
    lines = [each for line in EXAMPLES for each in widened(line)]
    assert [one for line in lines for one in differing(candidates(line), line)] == []


@pytest.mark.parametrize("part", range(PARTS_OF))
def test_a_line_made_from_a_pattern_says_the_same_to_both_engines(part: int) -> None:
    signatures: list[Signature] = list(CATALOG.values())[part::PARTS_OF]
    made = [
        (one.key, line)
        for one in signatures
        for line in attacks(pattern=one.source, size=SHORT, flags=re.ASCII)
    ]
    assert len(made) > len(signatures)
    assert [one for key, line in made for one in differing([key], line)] == []


@given(line=LINES)
@settings(max_examples=300, deadline=None)
def test_any_line_says_the_same_to_both_engines(line: str) -> None:
    text = line.replace("\v", " ")  # the one difference in classes: see apps/diagnosis/patterns.py
    assert list(differing(candidates(text), text)) == []


@needs_shared
def test_recorded_lines_say_the_same_to_both_engines() -> None:
    lines = set(recorded())
    assert len(lines) > 1000
    assert [one for line in lines for one in differing(candidates(line), line)] == []


def recorded() -> Iterator[str]:
    """Yield the lines of recorded cases, kernels and training jobs."""
    for name in ("cases/cases.jsonl", "data/kernel_log_lines/lines.jsonl"):
        for entry in (SHARED / name).read_text("utf-8").splitlines():
            yield from _texts(json.loads(entry))
    for path in sorted((SHARED / "data/training_logs").rglob("*")):
        if path.suffix in {".out", ".log", ".txt"}:
            yield from _some(path)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from value.split("\n")
    for inside in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from _texts(inside)


def _some(path: Path) -> Iterator[str]:
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    yield from (line.replace("\v", " ") for line in lines[:: max(1, len(lines) // 5000)])


def test_a_bad_text_is_searched_and_cut_without_an_error() -> None:
    found = Pattern("a(?P<x>.)").search_bytes(b"\xff\xfea\xc3\xa9\xff")
    assert found is not None
    assert (found["x"], found.before) == ("é", "\ufffd\ufffd")
    lone = Pattern(r"(?P<x>\w+)$").search("\ud800ab")
    assert lone is not None
    assert lone["x"] == "ab"
