"""Which dialect a text begins with, the first that fits. Lines repeat a few shapes without end: of
a shape it is remembered which dialects fit none of its lines.
"""

from collections.abc import Collection, Sequence

from apps.diagnosis.logs.dialects.dialect import Dialect, Peel

# The shape of a text is the text with a zero for each digit.
FOLD = str.maketrans("123456789", "0" * 9)
MOST_SHAPES = 4096
# Longer texts rarely repeat their shape.
LONGEST = 512


class FittingDialects:
    """Try dialects in their order."""

    def __init__(self, *, dialects: Sequence[Dialect]) -> None:
        firsts = {first for dialect in dialects for first in dialect.starts}
        self._by_first = {
            first: tuple(one for one in dialects if first in one.starts or not one.starts)
            for first in firsts
        }
        self._anywhere = tuple(one for one in dialects if not one.starts)
        self._by_shape: dict[tuple[str, str], Sequence[Dialect]] = {}

    def first(self, *, text: str, tried: Collection[str]) -> tuple[Dialect, Peel] | None:
        """Return the first dialect that fits, but those whose names were `tried`, and what it says;
        None where none fits.
        """
        if len(text) > LONGEST or not text.isascii():
            return _first(self._of(text), text, tried)
        key = (text[:1], text.translate(FOLD))
        able = self._by_shape.get(key)
        if able is not None:
            return _first(able, text, tried)
        able = self._of(text)
        found = _first(able, text, tried)
        if len(self._by_shape) >= MOST_SHAPES:
            self._by_shape.clear()
        self._by_shape[key] = _left(able, found and found[0], tried)
        return found

    def _of(self, text: str) -> Sequence[Dialect]:
        return self._by_first.get(text[:1], self._anywhere)


def _first(
    able: Sequence[Dialect], text: str, tried: Collection[str]
) -> tuple[Dialect, Peel] | None:
    for dialect in able:
        if dialect.name not in tried:
            peel = dialect.peel(text)
            if peel is not None:
                return dialect, peel
    return None


def _left(
    able: Sequence[Dialect], fits: Dialect | None, tried: Collection[str]
) -> Sequence[Dialect]:
    """Return which dialects may fit a text of the shape of one that `fits` was the first to fit."""
    end = len(able) if fits is None else able.index(fits)
    passed = (one for one in able[:end] if not one.is_blind or one.name in tried)
    return (*passed, *able[end:])
