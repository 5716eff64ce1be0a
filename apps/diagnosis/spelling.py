"""Words that nobody knows → the known ones that were probably meant."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from types import MappingProxyType
from typing import Final

from apps.secret_shapes import hide_shapes

MOST_SLIPS = 2
COMPARED = 60  # letters: comparing takes time by their product
SHOWN = 60
NONE: Final[Mapping[str, str]] = MappingProxyType({})
LOOKED_AT = 4096  # for secrets, before the word is cut
# What terminals and browsers obey: controls, and signs that turn the order of letters round.
OBEYED = frozenset((*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
_IN_LINES = dict.fromkeys(OBEYED - {ord("\t"), ord("\n")}, "?")
MOST_TOLD = 10  # of one request: who sends thousands of unknown names waits for no comparing


def nearest(*, word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most like a word, None where none is like it.

    The same letters in another order are the likest: `form` is `from` rather than `format`.
    """
    by_lower = {each.lower(): each for each in known}
    given = word[:COMPARED].lower()
    close = get_close_matches(given, by_lower)
    swapped = (each for each in close if sorted(each) == sorted(given))
    found = next(swapped, next(iter(close), None))
    return by_lower[found] if found else None


def slipped(*, word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a slip of the fingers makes this one, None where none is."""
    return next(iter(slips_of(word=word, known=known)), None)


def slips_of(*, word: str, known: Iterable[str]) -> list[str]:
    """Return the known words that the fewest slips of the fingers make this one.

    Nearer than `nearest`: a letter too many, too few, another one, or two swapped; one slip, two
    in nine letters and more, and in three letters only the swap (`pid` is no `xid`). Of words
    equally far the one in the same case goes first.
    """
    given = word[:COMPARED].lower()
    near = {each: each.lower() for each in known if abs(len(each) - len(given)) <= MOST_SLIPS}
    slips = {each: _slips(given, lower) for each, lower in near.items()}
    found = {each: n for each, n in slips.items() if n <= _allowed(given, near[each])}
    least = min(found.values(), default=0)
    nearest_first = sorted(
        (_slips(word[:COMPARED], each), each) for each, n in found.items() if n == least
    )
    return [each for _, each in nearest_first]


def _allowed(one: str, other: str) -> int:
    longer = max(len(one), len(other))
    return int(longer > 3 or sorted(one) == sorted(other)) + int(longer > 8)


def _slips(one: str, other: str) -> int:
    """Return by how many letters that are added, lost, changed or swapped two words differ."""
    before, former = list[int](), list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        row = [at]
        for to, wanted in enumerate(other, 1):
            least = min(former[to] + 1, row[-1] + 1, former[to - 1] + (letter != wanted))
            if before and to > 1 and one[at - 2 : at] == other[to - 2 : to][::-1]:
                least = min(least, before[to - 2] + 1)
            row.append(least)
        before, former = former, row
    return former[-1]


def meant(*, word: str, known: Iterable[str], synonyms: Mapping[str, str] = NONE) -> str:
    """Return `; did you mean …?` to stand behind a refusal, empty where nothing is like it.

    What means the same (`synonyms`: in small letters → a known word) is nearer than looks.
    """
    found = synonyms.get(word[:COMPARED].lower()) or nearest(word=word, known=known)
    return f"; did you mean `{found}`?" if found else ""


def one_of(*, known: Iterable[str]) -> str:
    """Return `one of a, b`, in order."""
    return f"one of {', '.join(sorted(known))}"


def shown(*, word: str, most: int = SHOWN) -> str:
    """Return a word of a stranger as it may stand in an answer: short, in one line, no secret."""
    return sayable(text=word[:LOOKED_AT])[:most]


def sayable(*, text: str) -> str:
    """Return a text without secrets, what terminals obey, and what turns letters' order round."""
    hidden = hide_shapes(text)
    return "".join(sign if sign.isprintable() else "?" for sign in hidden)


def in_lines(*, text: str) -> str:
    """Return words of others, in as many lines as they have, without what a terminal obeys."""
    return text.translate(_IN_LINES)


def wrong_parameters(
    *, given: Mapping[str, Sequence[str]], known: Collection[str]
) -> dict[str, str]:
    """Return parameter → what is wrong with it, for those that are not known or given twice."""
    unknown = islice((name for name in given if name not in known), MOST_TOLD)
    wrong = {name: _unknown(name, known) for name in unknown}
    twice = (name for name in given if name in known and len(given[name]) > 1)
    return wrong | dict.fromkeys(twice, "give it once")


def _unknown(name: str, known: Collection[str]) -> str:
    if not known:
        return "no parameters are taken here"
    return f"there is no such parameter here; {one_of(known=known)}{meant(word=name, known=known)}"
