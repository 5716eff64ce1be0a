"""Patterns without the values of digits: what is proved for a shape holds for all of its lines."""

import random
import re

import pytest

from apps.diagnosis.logs.digit_blind import folded, is_blind, widened
from apps.diagnosis.patterns import RARE_MEMORY_BYTES, BadPattern, Pattern
from apps.diagnosis.signatures.lines.line_sender import CHANGING
from apps.diagnosis.signatures.load import Signature, load_catalog

DICE = random.Random(11)  # noqa: S311  repeatable, not secret
SIGNATURES = list(load_catalog().values())
BLIND = [one for one in SIGNATURES if is_blind(source=one.source)]


def renumbered(line: str) -> bytes:
    """Return a line with other digits."""
    return re.sub("[0-9]", lambda _: str(DICE.randrange(10)), line).encode()


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda one: one.key)
def test_a_wider_pattern_stands_in_the_shape_of_each_line_of_its_signature(
    signature: Signature,
) -> None:
    wide = widened(source=signature.source, is_anywhere=signature.wants_start)
    lines = [one.encode() for one in signature.examples]
    lines += [renumbered(one) for one in signature.examples for _ in range(5)]
    found = [line for line in lines if signature.pattern.search_bytes(line)]
    missed = [line for line in found if wide.search_bytes(folded(line)) is None]
    assert missed == []


@pytest.mark.parametrize(
    "signature", [one for one in SIGNATURES if one.wants_start], ids=lambda one: one.key
)
def test_what_wants_to_stand_first_is_found_behind_a_prefix(signature: Signature) -> None:
    wide = widened(source=signature.source, is_anywhere=True)
    lines = [folded(f"10:04:12 {one}".encode()) for one in signature.examples]
    assert [line for line in lines if wide.search_bytes(line) is None] == []


@pytest.mark.parametrize("signature", BLIND, ids=lambda one: one.key)
def test_a_blind_pattern_stands_in_the_same_places_of_a_shape(signature: Signature) -> None:
    for example in signature.examples:
        line = renumbered(example)
        of_line = signature.pattern.search_bytes(line)
        of_shape = signature.pattern.search_bytes(folded(line))
        assert (of_line and of_line.spans) == (of_shape and of_shape.spans)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("Xid 79", "Xid 79"),
        (r"exit (?P<code2>[1-9]\d{0,2})\b", "exit 137"),
        (r"code [^0]", "code 7"),
        (r"at 0x[0-9a-f]{2,8}", "at 0x7f"),
        (r"ports? \x31", "port 1"),
        (r"^(?:a|b)12\b", "a12"),
        ("[]3]x", "3x"),
    ],
)
def test_what_goes_by_a_digit_is_widened(source: str, line: str) -> None:
    wide = widened(source=source, is_anywhere=False)
    assert not is_blind(source=source)
    assert wide.search_bytes(line.encode())
    assert wide.search_bytes(folded(line.encode()))


@pytest.mark.parametrize("source", [r"\d{1,3}", "[0-9a-f]+", r"[^\]]{2,40}", r"(?P<v2>\w+) x{3}"])
def test_what_takes_all_digits_or_none_is_blind(source: str) -> None:
    assert is_blind(source=source)


def test_what_changes_in_a_prefix_is_found_without_the_values_of_digits() -> None:
    assert is_blind(source=CHANGING.pattern)


def test_letters_of_several_bytes_stay_as_they_are() -> None:
    assert folded("żółć 17 로그 ٣".encode()).decode() == "żółć 00 로그 ٣"


def test_a_wide_pattern_takes_little_memory_unless_it_needs_more() -> None:
    source = r"begins (?:[^\]]{1,250}\x20){1,4}7"  # too large for little
    with pytest.raises(BadPattern):
        Pattern(source, memory_bytes=RARE_MEMORY_BYTES)
    assert widened(source=source, is_anywhere=False).search_bytes(b"begins words 9")
