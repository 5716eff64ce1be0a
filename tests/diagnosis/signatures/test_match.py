"""Searching whole blocks finds what trying every pattern on every line finds."""

from hypothesis import given, settings

from apps.diagnosis.signatures.match import default_matcher
from tests.diagnosis.signatures.blocks import BLOCKS, CATALOG, LITERALS
from tests.diagnosis.signatures.hostile import filled

Found = list[tuple[int, str, tuple[str, ...]]]


def in_blocks(lines: list[str]) -> Found:
    """Return (number, line, candidates) of the lines that the search of a whole block stops at."""
    data = "\n".join(lines).encode()
    return [
        (data.count(b"\n", 0, start), data[start:end].decode(), tuple(one.key for one in found))
        for start, end, found in default_matcher().lines(data=data)
    ]


@given(lines=BLOCKS)
@settings(max_examples=60, deadline=None)
def test_a_block_gives_the_hits_of_every_pattern_on_every_line(lines: list[str]) -> None:
    hits = {
        (number, key)
        for number, line, keys in in_blocks(lines)
        for key in keys
        if CATALOG[key].pattern.search(line)
    }
    assert hits == {
        (number, key)
        for number, line in enumerate(lines)
        for key, one in CATALOG.items()
        if any(literal in line for literal in one.literals) and one.pattern.search(line)
    }


@given(lines=BLOCKS)
@settings(max_examples=150, deadline=None)
def test_a_block_and_a_line_give_the_same_candidates_in_one_order(lines: list[str]) -> None:
    assert in_blocks(lines) == [
        (number, line, tuple(one.key for one in found))
        for number, line in enumerate(lines)
        if (found := default_matcher().candidates(line=line))
    ]


def test_fallbacks_come_last_and_the_longer_literal_first() -> None:
    line = " ".join(LITERALS)
    ranks = [
        (one.rank, -max(len(literal.encode()) for literal in one.literals), one.key)
        for one in default_matcher().candidates(line=line)
    ]
    assert ranks == sorted(ranks)
    assert len(ranks) == len(CATALOG)


def test_a_line_without_end_that_repeats_a_literal_is_one_line() -> None:
    line = filled("it/s ") * 8
    assert in_blocks([line, "x", line]) == [(0, line, *_keys(line)), (2, line, *_keys(line))]


def _keys(line: str) -> list[tuple[str, ...]]:
    return [tuple(one.key for one in default_matcher().candidates(line=line))]
