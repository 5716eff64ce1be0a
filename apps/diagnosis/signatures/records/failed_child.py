"""torchrun's table of failed workers: time, host, rank and exit code of an entry are one."""

import re
from dataclasses import replace

from apps.diagnosis.logs.timestamps import ISO, instant, iso
from apps.diagnosis.model import Event, LogLine, Mark, RecordPart
from apps.diagnosis.signatures.event_builder import plain_event, with_fields
from apps.diagnosis.signatures.marks import marked, sole
from apps.diagnosis.signatures.multi_line_record import (
    OVER,
    SWALLOWED,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

TIMES, FIRST = marked(RecordPart.FAILED_CHILD_TIME), marked(Mark.FIRST_FAILURE)
SIGNALS, EXITS = marked(Mark.SIGNAL_ROW), marked(Mark.EXIT_ROW)
ENTRY = marked(Mark.FAILURE_TABLE) - SIGNALS
SAID = re.compile(r"\s{0,8}(?:error_file|traceback|msg)\s{0,8}: (.{0,300})", re.ASCII)
INSIDE = re.compile(r"\s+\S", re.ASCII)
RAISED = re.compile(
    r"\s{1,8}([A-Za-z_][\w.]{0,160}(?:Error|Exception|Interrupt|Exit)): ?(.{0,400})$", re.ASCII
)
INDEX = re.compile(r"\s{0,8}\[\d{1,5}\]:\s*$", re.ASCII)
PRINTED = re.compile(ISO.replace("[T ]", "[T_ ]"), re.ASCII)


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in TIMES | FIRST


def _begin(record: OpenRecord) -> None:
    """Keep the time of an entry that begins with it."""
    if record.event is not None and record.event.signature in ENTRY:
        for name, value in record.event.fields.items():
            record.note(name, value)


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    key = event.signature if event else ""
    if key in ENTRY and event is not None:
        return _entry(record, line, event)
    if key in SIGNALS and event is not None:
        return LineOutcome(verdict=LineVerdict.PART, events=(_told(record, line, event),))
    return _beside(record, line, event)


def _beside(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    """Take what stands around the rows of an entry."""
    if SAID.match(line.text):
        # Behind it stands what the worker raised, a few lines of it.
        record.note("raised", "yes" if "Traceback (most" in line.text else "")
        return SWALLOWED
    if INDEX.match(line.text) or not line.text.strip():
        return SWALLOWED
    if line.text.lstrip().startswith(("---", "===", "***")):
        return LineOutcome(verdict=LineVerdict.LAST, events=())
    if record.notes.get("raised") and INSIDE.match(line.text):
        return LineOutcome(verdict=LineVerdict.PART, events=_raised(record, line, event))
    return OVER


def _raised(record: OpenRecord, line: LogLine, event: Event | None) -> tuple[Event, ...]:
    """Return the exception of a worker, as the worker's."""
    match = RAISED.match(line.text)
    if event is None and match is not None:
        fields = {"exc": match[1], "msg": match[2]}
        event = plain_event(line=line, signature=sole(Mark.EXCEPTION), fields=fields)
    return () if event is None else (replace(event, line=_placed(record, line)),)


def _entry(record: OpenRecord, line: LogLine, event: Event) -> LineOutcome:
    if event.signature in TIMES and "rank" in record.notes:
        return OVER  # the next entry of the table
    for name, value in event.fields.items():
        record.note(name, value)
    if event.signature not in EXITS:
        return SWALLOWED
    return LineOutcome(verdict=LineVerdict.PART, events=(_told(record, line, event),))


def _told(record: OpenRecord, line: LogLine, event: Event) -> Event:
    """Return the event of a later row with what the rows above it said."""
    for name, value in event.fields.items():
        record.note(name, value)
    said = {name: value for name, value in record.notes.items() if name != "raised"}
    return with_fields(event=replace(event, line=_placed(record, line)), more=said)


def _placed(record: OpenRecord, line: LogLine) -> LogLine:
    """Return `line` as the failed worker's: its host, rank and time of death."""
    rank, host = record.notes.get("rank"), record.notes.get("host")
    printed = PRINTED.match(record.notes.get("time", ""))
    at, local_at = instant(stamp=iso(printed) if printed else None, origin=line.origin)
    return replace(
        line,
        rank=int(rank) if rank else line.rank,
        host=host or line.host,
        at=at or line.at,
        local_at=local_at or line.local_at,
    )


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    if record.event is None or record.event.signature not in FIRST:
        return ()
    line = _placed(record, record.line)
    said = {name: value for name, value in record.notes.items() if name != "raised"}
    return (plain_event(line=line, signature=sole(Mark.FIRST_FAILURE), fields=said),)


FAILED_CHILD = RecordKind(
    name="failed_child", opens=_opens, begin=_begin, take=_take, finish=_finish, line_limit=120
)
