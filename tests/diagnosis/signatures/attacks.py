"""Lines that make backtracking worst, made from each repeated part of a pattern itself.

An engine that backtracks is slow where a text can be divided among repeated parts in many ways and
then does not fit. So for each repeated part: what leads to it, as much as it takes, and a text that
breaks off just before the end; the same begun anew again and again; and both of characters that
several parts of the pattern take. An engine that keeps sets of states is slow where a text makes
many of them: lines mixed at random from what the pattern names.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # behind `re.compile`
from typing import Any

from tests.diagnosis.signatures.torn import said

REPEATS = frozenset({_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT})
SINGLE = frozenset({_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN})
ANYWAY = "a1 .:-/_="  # beside the characters that the pattern names
UNITS = 5  # of a class
LONGEST = 400  # what a bounded part takes at once, when it is begun again and again
WIDE = ("é", "\uac00", "\U0001f525")
FEW = 4  # pieces of one mixed line
NEVER = "\x01"  # hardly a pattern takes it


@dataclass(frozen=True, slots=True)
class Part:
    """A repeated part of a pattern: what leads to it, what it takes, and what comes behind."""

    before: str
    units: Sequence[str]
    most: int
    behind: str


def attacks(*, pattern: str, size: int, flags: int = 0) -> Iterator[str]:
    """Yield different lines of `size` characters at most that begin like matches of `pattern`."""
    known: set[str] = set()
    for line in _attacks(pattern, size, flags):
        if line[:size] not in known:
            known.add(line[:size])
            yield line[:size]


def _attacks(pattern: str, size: int, flags: int) -> Iterator[str]:
    tree = _parser.parse(pattern, flags)
    letters = "".join(dict.fromkeys(ANYWAY + "".join(_letters(list(tree)))))
    whole = said(list(tree)) or "a"
    yield from (_filled(unit, size) for unit in (whole, whole + " ", *whole[:1]))
    for cut in range(1, len(whole), max(1, len(whole) // 8)):
        yield _filled(whole[:cut], size)
    for part in _parts(tree, list(tree), letters, "", ""):
        for unit in part.units:
            yield from _against(part, unit, size)


def mixed(*, pattern: str, size: int, count: int, flags: int = 0) -> Iterator[str]:
    """Yield lines mixed of what a pattern names, the same in every run."""
    tree = _parser.parse(pattern, flags)
    letters = "".join(dict.fromkeys(ANYWAY + "".join(_letters(list(tree)))))
    pieces = [said(list(tree)), *letters, *WIDE]
    for part in _parts(tree, list(tree), letters, "", ""):
        pieces += [part.before, *part.units, *(unit * 50 for unit in part.units), part.behind]
    chosen = random.Random(pattern)  # noqa: S311  repeatable, not secret
    pieces = [each for each in dict.fromkeys(pieces) if each]
    for _ in range(count):
        few = chosen.sample(pieces, min(len(pieces), FEW))
        yield "".join(chosen.choices(few, k=size // min(map(len, few)) + 1))[:size]


def _against(part: Part, unit: str, size: int) -> Iterator[str]:
    """Yield what one part is slow on: stretched, stretched and broken off, and begun again."""
    room = max(0, size - len(part.before) - len(part.behind))
    stretched = part.before + _filled(unit, room)
    yield stretched
    yield stretched + part.behind[:-1]
    yield stretched[:-1] + NEVER
    once = unit * max(1, min(part.most, LONGEST) // len(unit))
    for again in (part.before, part.before + unit, part.before + once):
        yield _filled(again or unit, size)
    yield _filled(part.before + unit + part.behind[:-1], size)


def _parts(tree: Any, nodes: list[Any], letters: str, before: str, behind: str) -> Iterator[Part]:
    for index, (kind, value) in enumerate(nodes):
        ahead, rest = before + said(nodes[:index]), said(nodes[index + 1 :]) + behind
        if kind in REPEATS:
            inside, most = list(value[2]), int(value[1])
            yield Part(ahead, _units(tree, inside, letters), most, rest)
        for part in _inside(kind, value):
            yield from _parts(tree, part, letters, ahead, rest)


def _inside(kind: Any, value: Any) -> list[list[Any]]:
    """Return the sequences that a node is made of."""
    if kind is _constants.BRANCH:
        return [list(each) for each in value[1]]
    if kind in REPEATS | {_constants.SUBPATTERN, _constants.ASSERT, _constants.ASSERT_NOT}:
        return [list(value[-1])]
    return [list(value)] if kind is _constants.ATOMIC_GROUP else []


def _units(tree: Any, inside: list[Any], letters: str) -> Sequence[str]:
    """Return what a repeated part takes: of a class the characters that other parts know, too."""
    one = said(inside) or "a"
    if len(inside) != 1 or inside[0][0] not in SINGLE:
        return (one, *(said(each) for part in _inside(*inside[0]) for each in [part] if said(part)))
    taken = _compiler.compile(_parser.SubPattern(tree.state, inside), tree.state.flags)
    fitting = [letter for letter in letters if taken.fullmatch(letter)]
    return (one, *fitting[:UNITS])


def _letters(nodes: list[Any]) -> Iterator[str]:
    """Yield the characters that a pattern names."""
    for kind, value in nodes:
        if kind is _constants.LITERAL:
            yield chr(value)
        if kind is _constants.IN:
            yield from (chr(each) for said_as, each in value if said_as is _constants.LITERAL)
        for part in _inside(kind, value):
            yield from _letters(part)


def _filled(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]
