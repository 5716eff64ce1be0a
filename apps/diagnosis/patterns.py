"""Patterns that take time in proportion to their text, whatever the text: matched by RE2.

The interface is the part of `re.Pattern` that is used here. Classes are ASCII, as with `re.ASCII`.
Two things differ from `re`: a vertical tab is no `\\s`, and where case is ignored, the long s
and the Kelvin sign are letters, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import re2

# Of the states that a pattern remembers. More makes no log faster, and a text made to fill it costs
# this much for each pattern that it meets.
MEMORY_BYTES = 1 << 20
# Of those that are asked once for each shape of lines.
RARE_MEMORY_BYTES = 128 << 10
# Of those that a person searches with: one at a time, so that most stay fast.
SEARCH_MEMORY_BYTES = 8 << 20
NOWHERE = (-1, -1)
_ANYWHERE = re2._Anchor.UNANCHORED  # noqa: SLF001
_START = re2._Anchor.ANCHOR_START  # noqa: SLF001
_WHOLE = re2._Anchor.ANCHOR_BOTH  # noqa: SLF001
Span = tuple[int, int]


class BadPattern(ValueError):
    """Say what RE2 does not take about a pattern."""


class Pattern:
    """A compiled pattern."""

    def __init__(self, source: str, *, memory_bytes: int = MEMORY_BYTES) -> None:
        compiled = _compiled(source, _options(memory_bytes))
        self.pattern = source
        self.groups: int = compiled.groups
        self.groupindex: Mapping[str, int] = compiled.groupindex
        # The public search converts every offset to characters, which takes longer than the search.
        self._match = compiled._regexp.Match  # noqa: SLF001

    def __repr__(self) -> str:
        return f"Pattern({self.pattern!r})"

    def search(self, text: str) -> "PatternMatch | None":
        """Return where it stands first in `text`."""
        return self.search_bytes(text.encode("utf-8", "replace"))

    def search_bytes(self, data: bytes) -> "PatternMatch | None":
        """Return where it stands first in UTF-8 `data`: for a text that meets many patterns."""
        return self._found(data, _ANYWHERE)

    def find_all(self, data: bytes) -> Iterator[list[Span]]:
        """Yield where it and its groups stand in UTF-8 `data`, each time behind the last."""
        position = 0
        while position <= len(data):
            spans: list[Span] = self._match(_ANYWHERE, data, position, len(data))
            if spans[0] == NOWHERE:
                return
            yield spans
            start, end = spans[0]
            position = end if end > start else end + 1

    def match(self, text: str) -> "PatternMatch | None":
        """Return how `text` begins with it."""
        return self._found(text.encode("utf-8", "replace"), _START)

    def fullmatch(self, text: str) -> "PatternMatch | None":
        """Return how it is the whole of `text`."""
        return self._found(text.encode("utf-8", "replace"), _WHOLE)

    def _found(self, data: bytes, anchor: object) -> "PatternMatch | None":
        spans: list[Span] = self._match(anchor, data, 0, len(data))
        return None if spans[0] == NOWHERE else PatternMatch(self, data, spans)


def rare_pattern(source: str) -> Pattern:
    """Return a pattern of little memory, of as much as it needs where that does not do."""
    try:
        return Pattern(source, memory_bytes=RARE_MEMORY_BYTES)
    except BadPattern:
        return Pattern(source)


class PatternUnion:
    """Many patterns, asked at once whether any of them stands in a text. It tells not which."""

    def __init__(self, sources: Sequence[str], *, memory_bytes: int) -> None:
        options = _options(memory_bytes)
        options.never_capture = True
        union = "|".join(f"(?:{each})" for each in sources)
        self._match = _compiled(union, options)._regexp.Match  # noqa: SLF001

    def finds(self, data: bytes) -> bool:
        """Say whether any of them stands in UTF-8 `data`."""
        return bool(self._match(_ANYWHERE, data, 0, len(data))[0] != NOWHERE)


class LinePattern:
    """What a person searches lines for. It never reaches from one line into the next."""

    MOST_LETTERS = 500
    # The slowest way through a text takes each state at each letter.
    MOST_STATES = 5_000

    def __init__(self, source: str, *, is_literal: bool, ignores_case: bool) -> None:
        if not source or len(source) > self.MOST_LETTERS:
            raise BadPattern(f"between 1 and {self.MOST_LETTERS} letters")
        options = _options(SEARCH_MEMORY_BYTES)
        options.literal, options.case_sensitive = is_literal, not ignores_case
        options.never_nl, options.never_capture = True, True
        compiled = _compiled(source if is_literal else f"(?m:{source})", options)._regexp  # noqa: SLF001
        if compiled.ProgramSize() > self.MOST_STATES:
            raise BadPattern("the pattern has too many alternatives or repetitions")
        self._match = compiled.Match

    def lines(self, data: bytes, start: int, end: int) -> Iterator[Span]:
        """Yield each line of UTF-8 `data` that has it; `start` and `end` stand between lines."""
        while start < end:
            found = self._match(_ANYWHERE, data, start, end)[0]
            if found == NOWHERE:
                return
            # Nothing of a line is an empty place in front of its end.
            first = data.rfind(b"\n", start, found[0]) + 1 or start
            last = data.find(b"\n", found[0], end)
            last = end if last < 0 else last
            yield first, last
            start = last + 1


class PatternMatch:
    """Where a pattern stands in a text, and its groups. What nobody asks for is not decoded."""

    __slots__ = ("_data", "_spans", "re")

    def __init__(self, pattern: Pattern, data: bytes, spans: list[Span]) -> None:
        self.re, self._data, self._spans = pattern, data, spans

    def __getitem__(self, name: str | int) -> Any:  # as of `re.Match`: str, or None
        index = name if isinstance(name, int) else self.re.groupindex[name]
        return self.part(self._spans[index])

    def part(self, span: Span) -> str | None:
        """Return what stands in a span of bytes, None for NOWHERE."""
        start, end = span
        return None if start < 0 else _decoded(self._data[start:end])

    def group(self, name: str | int = 0) -> Any:
        """Return what a group holds, None where it took no part."""
        return self[name]

    def groupdict(self) -> dict[str, str | None]:
        """Return what each named group holds."""
        return {name: self[index] for name, index in self.re.groupindex.items()}

    @property
    def spans(self) -> list[Span]:
        """Return where it and its groups stand, in bytes; NOWHERE for a group without a part."""
        return self._spans

    @property
    def data(self) -> bytes:
        """Return the UTF-8 text that was searched."""
        return self._data

    @property
    def string(self) -> str:
        """Return the text that was searched."""
        return _decoded(self._data)

    @property
    def before(self) -> str:
        """Return what stands in front of it."""
        return _decoded(self._data[: self._spans[0][0]])

    def start(self) -> int:
        """Return in front of which character it begins."""
        return len(self.before)

    def end(self) -> int:
        """Return in front of which character it is over."""
        return len(_decoded(self._data[: self._spans[0][1]]))


def _options(memory_bytes: int) -> Any:
    options = re2.Options()
    options.max_mem = memory_bytes
    options.log_errors = False
    return options


def _compiled(source: str, options: Any) -> Any:
    try:
        return re2.compile(source, options)
    except re2.error as error:
        raise BadPattern(_said(error)) from None


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _said(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
