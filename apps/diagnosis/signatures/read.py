"""A source, batch by batch → events, progress and extents. The door of this package."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from apps.diagnosis.logs import clean
from apps.diagnosis.logs.envelopes import Wrapped
from apps.diagnosis.logs.extents import measured
from apps.diagnosis.logs.parse import parse, shown_lines
from apps.diagnosis.model import Event, Extent, LogLine, Origin, Reading, Role
from apps.diagnosis.signatures.book import Book
from apps.diagnosis.signatures.event import event_of
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.match import Matcher, default_matcher
from apps.diagnosis.signatures.state import SEEN_LIMIT, State, dump, restore

NOTHING = Wrapped()


class StreamReader:
    """Read one source (a file or a pushed stream) from batch to batch.

    Cutting a source between lines, and going on through `state`, gives the events of one reading:
    an event is
    named by (source, number, signature). Extents count the lines of their own batch.
    """

    def __init__(
        self, *, origin: Origin, state: bytes | None = None, matcher: Matcher | None = None
    ) -> None:
        self._origin = origin
        self._matcher = matcher or default_matcher()
        self._state = restore(data=state, origin=origin) if state else State()
        self._book = Book(records=self._state.records)

    @property
    def state(self) -> bytes:
        """Return what the next reader of this source needs to go on exactly here."""
        self._state.records = self._book.open
        return dump(state=self._state)

    def feed(
        self, *, text: str, first_number: int, stamps: Sequence[datetime] | None = None
    ) -> Reading:
        """Return what whole lines, joined by line feeds, say.

        `first_number` is the 1-based number of the first; `stamps` are envelope times, one a line.
        """
        block, wrapped = self._state.unwrapper.unwrap(text=clean.without_escapes(text=text))
        data = block.encode("utf-8", "replace")

        def read(index: int, line: str) -> LogLine:
            return parse(
                text=line,
                origin=self._origin,
                number=first_number + index,
                envelope_at=stamps[index] if stamps and index < len(stamps) else None,
                wrapped=wrapped.get(index),
            )

        events: list[Event] = []
        for index, line in self._lines(data=data):
            for shown in shown_lines(raw=line):
                events.extend(self._told(line=read(index, shown), shown=shown))
        self._state.last_number = first_number + data.count(b"\n")
        heard = measured(data=data, first_number=first_number, origin=self._origin, read=read)
        return _reading(origin=self._origin, events=events, extents=heard)

    def close(self) -> Reading:
        """Return what a record still open says; nothing follows in this source."""
        events: list[Event] = []
        if rest := self._state.unwrapper.rest():
            text, said = rest
            line = parse(
                text=text, origin=self._origin, number=self._state.last_number, wrapped=said
            )
            events.extend(self._told(line=line, shown=text))
        return _reading(origin=self._origin, events=events + self._book.close(), extents=())

    def _lines(self, *, data: bytes) -> Iterator[tuple[int, str]]:
        """Yield (0-based index, text) of the lines worth reading: with a literal, or while a record
        is open."""
        position, index, size = 0, 0, len(data)
        while position <= size:
            if self._book.open:
                end = data.find(b"\n", position)
                start, end = position, size if end < 0 else end
            else:
                found = self._matcher.next_line(data=data, position=position)
                if found is None:
                    return
                start, end = found
                index += data.count(b"\n", position, start)
            yield index, data[start:end].decode("utf-8", "replace")
            position, index = end + 1, index + 1

    def _told(self, *, line: LogLine, shown: str) -> list[Event]:
        line = self._named(line)
        hit = self._matcher.match(line=clean.cut(line=shown), text=line.text)
        event = event_of(line=line, hit=hit) if hit else None
        if line.dialect == "nccl" and " commId 0x" in line.text:
            self._state.identities.note(host=line.host, pid=line.pid, text=line.text)
            event = replace(event, line=self._named(line)) if event else None
        return [one for one in self._book.see(line=line, event=event) if self._is_new(one)]

    def _named(self, line: LogLine) -> LogLine:
        """Return `line` with the global rank of its process, where only that is known."""
        if line.rank is not None or line.pid is None:
            return line
        rank = self._state.identities.rank_of(host=line.host, pid=line.pid)
        return line if rank is None else replace(line, rank=rank)

    def _is_new(self, event: Event) -> bool:
        """Return whether an event is to be told: set-up facts repeat for each channel of each
        process."""
        names = load_catalog()[event.signature].once_per
        if not names:
            return True
        said = (event.signature, event.line.host, event.line.pid, event.line.rank)
        values = tuple(event.fields.get(name) for name in names)
        key = zlib.crc32(repr((said, values)).encode())
        if key in self._state.seen:
            return False
        self._state.seen[key] = None
        if len(self._state.seen) > SEEN_LIMIT:
            del self._state.seen[next(iter(self._state.seen))]
        return True


def read_source(*, origin: Origin, text: str, stamps: Sequence[datetime] | None = None) -> Reading:
    """Return what a whole source says."""
    reader = StreamReader(origin=origin)
    first = reader.feed(text=text, first_number=1, stamps=stamps)
    last = reader.close()
    return _reading(
        origin=origin,
        events=[*first.events, *first.progress, *last.events, *last.progress],
        extents=first.extents,
    )


def _reading(*, origin: Origin, events: Sequence[Event], extents: Sequence[Extent]) -> Reading:
    """Return a reading: one event per line and signature; of progress only the latest of each
    voice."""
    told: dict[tuple[int, str], Event] = {}
    latest: dict[tuple[str | None, int | None, str], Event] = {}
    for event in sorted(events, key=lambda one: one.line.number):
        if event.role is Role.PROGRESS:
            latest[event.line.host, event.line.rank, event.signature] = event
        else:
            told.setdefault((event.line.number, event.signature), event)
    return Reading(
        origin=origin,
        events=tuple(told.values()),
        progress=tuple(latest.values()),
        extents=tuple(extents),
    )
