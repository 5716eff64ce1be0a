"""The open records of one source: which line belongs to which, and what they tell when they end."""

from collections.abc import Sequence

from apps.diagnosis.model import Event, LogLine, Mark
from apps.diagnosis.registry import collect
from apps.diagnosis.signatures import records
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.multi_line_record import (
    OPEN_LIMIT,
    LineVerdict,
    OpenRecord,
    RecordKind,
    voices_of,
)

KINDS: dict[str, RecordKind] = {
    kind.name: kind for kind in collect(package=records, kind=RecordKind)
}

# Words of failure that nothing knows: inside a record they are but a line of it.
UNNAMED = marked(Mark.UNKNOWN_FAILURE)
OPENERS = tuple(literal for kind in KINDS.values() for literal in kind.literals)


class Book:
    """Assemble records of several lines, per voice, so that interleaved ranks don't disturb each
    other."""

    def __init__(self, *, records: Sequence[OpenRecord] = ()) -> None:
        self.open: list[OpenRecord] = list(records)

    def is_concerned(self, *, text: str) -> bool:
        """Return whether a line without an event can belong to a record."""
        return bool(self.open) or any(map(text.__contains__, OPENERS))

    def see(self, *, line: LogLine, event: Event | None) -> list[Event]:
        """Return what is told after this line: its own event, and those of records it ended."""
        told = self._expired(number=line.number)
        own = [event] if event is not None else []
        known = None if event is not None and event.signature in UNNAMED else event
        voices, was_part = voices_of(line=line), False
        for record in tuple(self.open):
            kind = KINDS[record.kind]
            if voices[kind.is_kernel] == record.voice:
                was_part |= self._offer(
                    record=record, kind=kind, line=line, event=known, own=own, told=told
                )
        if was_part:
            own = _named(own)
        if not was_part:
            own = self._opened(line=line, event=known, own=own, told=told)
        return told + own

    def _expired(self, *, number: int) -> list[Event]:
        """End the records that were silent for too long, and return what they tell."""
        told: list[Event] = []
        for record in tuple(self.open):
            kind = KINDS[record.kind]
            if number - record.line.number > kind.reach:
                self.open.remove(record)
                told.extend(kind.finish(record))
        return told

    def _offer(
        self,
        *,
        record: OpenRecord,
        kind: RecordKind,
        line: LogLine,
        event: Event | None,
        own: list[Event],
        told: list[Event],
    ) -> bool:
        """Show a line to a record; return whether it was a part. Changes `own` and `told`, which
        are the caller's."""
        record.line_count += 1
        taken = kind.take(record, line, event)
        if taken.events is not None:
            own[:] = taken.events
        is_over = taken.verdict in {LineVerdict.OVER, LineVerdict.LAST}
        if is_over or record.line_count >= kind.line_limit:
            self.open.remove(record)
            told.extend(kind.finish(record))
        return taken.verdict in {LineVerdict.PART, LineVerdict.LAST}

    def _opened(
        self, *, line: LogLine, event: Event | None, own: list[Event], told: list[Event]
    ) -> list[Event]:
        """Open the record that this line begins, if it begins one; return what of its own is told
        now."""
        for kind in KINDS.values():
            if not kind.opens(line, event):
                continue
            if len(self.open) >= OPEN_LIMIT:
                oldest = self.open.pop(0)
                told.extend(KINDS[oldest.kind].finish(oldest))
            voice = voices_of(line=line)[kind.is_kernel]
            record = OpenRecord(kind=kind.name, voice=voice, line=line, event=event)
            if kind.begin is not None:
                kind.begin(record)
            self.open.append(record)
            return [] if kind.holds_opener else _named(own)
        return own

    def close(self) -> list[Event]:
        """Return what the records still open tell, and end them."""
        told = [event for record in self.open for event in KINDS[record.kind].finish(record)]
        self.open.clear()
        return told


def _named(events: Sequence[Event]) -> list[Event]:
    """Return the events without words of failure that nothing knows."""
    return [one for one in events if one.signature not in UNNAMED]
