"""`Last error:` of an NCCL exception: the line behind it is the text of the last NCCL warning."""

from apps.diagnosis.model import Event, LogLine, RecordPart
from apps.diagnosis.signatures.event_builder import with_fields
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.multi_line_record import (
    SWALLOWED,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

OPENERS = marked(RecordPart.LAST_ERROR_OPENER)


def _opens(line: LogLine, event: Event | None) -> bool:
    if event is None or event.signature not in OPENERS:
        return False
    return not event.fields.get("err", "").strip()


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    if not line.text.strip():
        return SWALLOWED
    record.note("err", line.text.strip())
    quoted = (with_fields(event=event, more={"quoted": "last-error"}),) if event else ()
    return LineOutcome(verdict=LineVerdict.LAST, events=quoted)


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    if record.event is None:
        return ()
    return (with_fields(event=record.event, more={"err": record.notes.get("err", "")}),)


LAST_ERROR = RecordKind(name="last_error", opens=_opens, take=_take, finish=_finish, line_limit=4)
