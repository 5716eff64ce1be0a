"""Pages of a held log in both directions: bounded in lines and bytes, with what is missing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from apps.telemetry.held_logs.line_marks import marks_of
from apps.telemetry.held_logs.line_parts import Part, parts_from, parts_until, text_of
from apps.telemetry.held_logs.line_reading import shown_line
from apps.telemetry.held_logs.stream_access import access_stream
from apps.telemetry.held_logs.values import HeldLine, LineGap, LinePage
from apps.telemetry.logs.streams import origin_of
from apps.telemetry.models import LogStream
from apps.tenancy.access import Actor

PAGE_LINES: Final = 200
MOST_LINES: Final = 1_000
# Lines may be a megabyte long each: a page ends early, never without a line.
MOST_LETTERS: Final = 512_000


def page_from(*, actor: Actor, key: str, number: int, count: int = PAGE_LINES) -> LinePage:
    """Return the lines from a number on; raise NotFound. Needs the scope of who holds them."""
    stream = access_stream(actor=actor, key=key)
    parts = parts_from(stream, max(1, number))
    return _page(stream, parts, first=max(1, number), count=min(count, MOST_LINES))


def page_before(*, actor: Actor, key: str, number: int, count: int = PAGE_LINES) -> LinePage:
    """Return the lines in front of a number, in their order; raise NotFound. Needs the scope."""
    stream = access_stream(actor=actor, key=key)
    last = min(number - 1, stream.line_count)
    parts = parts_until(stream, last) if last >= 1 else []
    return _page_back(stream, parts, last=last, count=min(count, MOST_LINES))


def page_around(*, actor: Actor, key: str, number: int, count: int = PAGE_LINES) -> LinePage:
    """Return a line with as many before as behind it; raise NotFound. Needs the scope."""
    behind = page_from(actor=actor, key=key, number=number, count=count - count // 2)
    before = page_before(actor=actor, key=key, number=number, count=count // 2)
    return LinePage(
        lines=before.lines + behind.lines,
        gaps=joined(before.gaps + behind.gaps),
        has_older=before.has_older,
        has_newer=behind.has_newer,
        is_rough=before.is_rough or behind.is_rough,
    )


def joined(gaps: Sequence[LineGap]) -> tuple[LineGap, ...]:
    """Return gaps that touch each other as one."""
    found: list[LineGap] = []
    for gap in gaps:
        if found and gap.first <= found[-1].last + 1:
            found[-1] = replace(found[-1], last=max(found[-1].last, gap.last))
        else:
            found.append(gap)
    return tuple(found)


def _page(stream: LogStream, parts: Sequence[Part], *, first: int, count: int) -> LinePage:
    position, room = first, _Room(stream, count)
    gaps: list[LineGap] = []
    for part in parts:
        if part.first > position:
            gaps.append(LineGap(first=position, last=part.first - 1))
        position = room.take(part, range(max(position, part.first), part.last + 1)) + 1
        if position <= part.last or room.is_full:
            break
    else:
        if position <= stream.line_count and _is_end(stream, position):
            gaps.append(LineGap(first=position, last=stream.line_count))
            position = stream.line_count + 1
    return LinePage(
        lines=_marked(stream, room.lines),
        gaps=tuple(gaps),
        has_older=first > 1,
        has_newer=position <= stream.line_count,
        is_rough=room.is_rough,
    )


def _page_back(stream: LogStream, parts: Sequence[Part], *, last: int, count: int) -> LinePage:
    position, room = last, _Room(stream, count)
    gaps: list[LineGap] = []
    for part in parts:
        if part.last < position:
            gaps.append(LineGap(first=part.last + 1, last=position))
        numbers = range(min(position, part.last), part.first - 1, -1)
        position = room.take(part, numbers) - 1
        if position >= part.first or room.is_full:
            break
    else:
        if position >= 1 and not parts_until(stream, position):
            gaps.append(LineGap(first=1, last=position))
            position = 0
    return LinePage(
        lines=_marked(stream, room.lines[::-1]),
        gaps=tuple(reversed(gaps)),
        has_older=position >= 1,
        has_newer=last < stream.line_count,
        is_rough=room.is_rough,
    )


class _Room:
    """The lines of a page as they are read, until it is full."""

    def __init__(self, stream: LogStream, count: int) -> None:
        self.lines: list[HeldLine] = []
        self.is_rough = False
        self._stream, self._count, self._letters = stream, count, 0
        self._origin = origin_of(stream=stream, received_at=stream.last_received_at)

    @property
    def is_full(self) -> bool:
        """Say whether no further line is taken."""
        return len(self.lines) >= self._count or self._letters > MOST_LETTERS

    def take(self, part: Part, numbers: range) -> int:
        """Take lines of a part in this order, at least one; return the number of the last."""
        text = text_of(self._stream, part)
        self.is_rough = self.is_rough or part.is_rough
        for number in numbers:
            index = min(number - part.first, len(text.starts) - 1)
            self.lines.append(shown_line(part=text, index=index, origin=self._origin))
            self._letters += len(self.lines[-1].text)
            if self.is_full:
                return number
        return numbers[-1]


def _is_end(stream: LogStream, number: int) -> bool:
    return not parts_from(stream, number)


def _marked(stream: LogStream, lines: Sequence[HeldLine]) -> tuple[HeldLine, ...]:
    marks = marks_of(stream=stream, numbers=[line.number for line in lines])
    return tuple(
        replace(line, marks=marks[line.number]) if line.number in marks else line for line in lines
    )
