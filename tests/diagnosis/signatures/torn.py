"""Lines that begin like what a pattern wants and then go wrong, made from the pattern itself."""

from collections.abc import Iterator
from re import _constants, _parser  # type: ignore[attr-defined]  # the parser behind `re.compile`
from typing import Any

from tests.diagnosis.signatures.hostile import LINE_BYTES, RUNS, filled

OF_CATEGORY: dict[Any, str] = {
    _constants.CATEGORY_DIGIT: "1",
    _constants.CATEGORY_SPACE: " ",
    _constants.CATEGORY_WORD: "a",
    _constants.CATEGORY_NOT_DIGIT: "a",
    _constants.CATEGORY_NOT_SPACE: "a",
    _constants.CATEGORY_NOT_WORD: " ",
}


def torn_lines(*, pattern: str) -> Iterator[str]:
    """Yield lines of up to 8 KiB that break off, repeat or stretch a match of `pattern`."""
    example = said(list(_parser.parse(pattern))) or "a"
    for unit in RUNS:
        yield filled(unit)
    yield filled(example)
    yield filled(example + " ")
    for cut in range(1, len(example) + 1, max(1, len(example) // 12)):
        begun = example[:cut]
        for unit in (begun[-1], begun[-3:], " ", "1", "a", begun + "x"):
            yield (begun + filled(unit))[:LINE_BYTES]
        yield (filled(" ")[:4000] + begun + filled(begun[-1]))[:LINE_BYTES]


def said(nodes: list[Any]) -> str:
    """Return a short text that a parsed pattern matches, but for what it asserts."""
    return "".join(_said(kind, value) for kind, value in nodes)


def _said(kind: Any, value: Any) -> str:
    if kind is _constants.LITERAL:
        return chr(value)
    if kind is _constants.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if kind is _constants.ANY:
        return "a"
    if kind is _constants.IN:
        return _member(value)
    return _of_parts(kind, value)


def _of_parts(kind: Any, value: Any) -> str:
    if kind is _constants.BRANCH:
        return said(list(value[1][0]))
    if kind is _constants.SUBPATTERN:
        return said(list(value[-1]))
    if kind in {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}:
        least, most, inside = int(value[0]), int(value[1]), value[2]
        return said(list(inside)) * max(least, min(2, most))
    return ""  # places and assertions take no room


def _member(members: list[Any]) -> str:
    """Return a character of a class."""
    if members[0][0] is _constants.NEGATE:
        refused = {chr(value) for kind, value in members[1:] if kind is _constants.LITERAL}
        return next(one for one in "a b-1" if one not in refused)
    kind, value = members[0]
    if kind is _constants.CATEGORY:
        return OF_CATEGORY[value]
    return chr(value[0] if kind is _constants.RANGE else value)
