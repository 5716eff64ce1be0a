"""Search in a held log: literal or by an RE2 pattern, a bounded while at a time, from any place."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from apps.diagnosis.patterns import BadPattern, LinePattern
from apps.telemetry.held_logs.line_marks import marks_of
from apps.telemetry.held_logs.line_parts import Part, PartText, parts_from, parts_until, text_of
from apps.telemetry.held_logs.line_reading import LEVELS, level_of, shown_line
from apps.telemetry.held_logs.stream_access import access_stream
from apps.telemetry.held_logs.values import HeldLine, SearchPage
from apps.telemetry.logs.streams import origin_of
from apps.telemetry.models import LogStream
from apps.tenancy.access import Actor

MOST_HITS: Final = 200
SEARCH_SECONDS: Final = 0.2
# Looked at between two looks at the clock: of the slowest pattern a tenth of a second.
SLICE_BYTES: Final = 64 * 2**10
ANY_LINE: Final = "^"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineQuery:
    """What lines are searched for; an empty text with a level finds all of that level."""

    text: str = ""
    is_pattern: bool = False
    ignores_case: bool = True
    level: str = ""  # this or worse, as their loggers wrote it

    def pattern(self) -> LinePattern:
        """Return the pattern to search with; raise BadPattern."""
        if self.level and self.level not in LEVELS:
            raise BadPattern("no level")
        return LinePattern(
            self.text or ANY_LINE,
            is_literal=bool(self.text) and not self.is_pattern,
            ignores_case=self.ignores_case,
        )

    def takes(self, line: bytes) -> bool:
        """Say whether a line is of the level that is asked for."""
        if not self.level:
            return True
        level = level_of(line[:1_000].decode("utf-8", "replace"))
        return bool(level) and LEVELS.index(level) <= LEVELS.index(self.level)


def search_lines(
    *,
    actor: Actor,
    key: str,
    query: LineQuery,
    number: int,
    is_backward: bool = False,
    seconds: float = SEARCH_SECONDS,
) -> SearchPage:
    """Return lines from a number on, or in front of it, that match; raise NotFound, BadPattern.

    It stops at so many lines or after that time, and says where it goes on. Needs the scope.
    """
    stream = access_stream(actor=actor, key=key)
    search = _Search(stream, query, ends_at=time.monotonic() + seconds)
    found = search.back(number - 1) if is_backward else search.on(max(1, number))
    lines = found[::-1] if is_backward else found
    marks = marks_of(stream=stream, numbers=[line.number for line in lines])
    return SearchPage(
        lines=tuple(replace(line, marks=marks.get(line.number, ())) for line in lines),
        searched_lines=search.searched,
        missing_lines=search.missing,
        next_number=search.goes_on,
    )


class _Search:
    """One search: how far it got, and what it met on its way."""

    def __init__(self, stream: LogStream, query: LineQuery, *, ends_at: float) -> None:
        self.searched, self.missing = 0, 0
        self.goes_on: int | None = None
        self._stream, self._query, self._ends_at = stream, query, ends_at
        self._pattern = query.pattern()
        self._origin = origin_of(stream=stream, received_at=stream.last_received_at)
        self._found: list[HeldLine] = []

    def on(self, position: int) -> list[HeldLine]:
        """Return what matches from a line on."""
        while parts := parts_from(self._stream, position):
            for part in parts:
                self.missing += max(0, part.first - position)
                self._take_on(part, max(position, part.first))
                if self.goes_on is not None:
                    return self._found
                position = part.last + 1
        self.missing += max(0, self._stream.line_count - position + 1)
        return self._found

    def back(self, position: int) -> list[HeldLine]:
        """Return what matches up to a line, the latest first."""
        position = min(position, self._stream.line_count)
        while position >= 1 and (parts := parts_until(self._stream, position)):
            for part in parts:
                self.missing += max(0, position - part.last)
                self._take_back(part, min(position, part.last))
                if self.goes_on is not None:
                    return self._found
                position = part.first - 1
        self.missing += max(0, position)
        return self._found

    def _take_on(self, part: Part, first: int) -> None:
        text = text_of(self._stream, part)
        begin = first - part.first
        for low, high in _slices(text, begin, len(text.starts)):
            for index in self._hits(text, low, high):
                self._note(text, index)
                if len(self._found) >= MOST_HITS:
                    self.searched += index - low + 1
                    self.goes_on = part.first + index + 1
                    return
            self.searched += high - low
            if time.monotonic() > self._ends_at:
                self.goes_on = part.first + high
                return

    def _take_back(self, part: Part, last: int) -> None:
        text = text_of(self._stream, part)
        for low, high in reversed(_slices(text, 0, last - part.first + 1)):
            for index in reversed(list(self._hits(text, low, high))):
                self._note(text, index)
                if len(self._found) >= MOST_HITS:
                    self.searched += high - index
                    self.goes_on = part.first + index
                    return
            self.searched += high - low
            if time.monotonic() > self._ends_at and part.first + low > 1:
                self.goes_on = part.first + low
                return

    def _note(self, text: PartText, index: int) -> None:
        self._found.append(shown_line(part=text, index=index, origin=self._origin))

    def _hits(self, text: PartText, low: int, high: int) -> Iterator[int]:
        """Yield the lines of a slice that match."""
        start, end = int(text.starts[low]), int(text.ends[high - 1])
        for first, last in self._pattern.lines(text.data, start, end):
            if self._query.takes(text.data[first:last]):
                yield int(np.searchsorted(text.starts, first, side="right")) - 1


def _slices(text: PartText, first: int, end: int) -> list[tuple[int, int]]:
    """Return a span of lines in slices of about so many bytes, each of whole lines."""
    found: list[tuple[int, int]] = []
    while first < end:
        limit = int(text.starts[first]) + SLICE_BYTES
        until = int(np.searchsorted(text.starts, limit, side="right"))
        until = min(max(until, first + 1), end)
        found.append((first, until))
        first = until
    return found
