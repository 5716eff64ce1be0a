"""PCIe error reports: the error line, the device's mask and the named bits are one event."""

from apps.diagnosis.model import Event, LogLine, RecordPart
from apps.diagnosis.signatures.event_builder import with_fields
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.multi_line_record import (
    OVER,
    SWALLOWED,
    LineOutcome,
    OpenRecord,
    RecordKind,
)

OPENERS, DETAILS = marked(RecordPart.BUS_ERROR_OPENER), marked(RecordPart.BUS_ERROR_DETAIL)
# Lines of a report that say nothing more.
BESIDE = ("TLP Header:", "Error of this Agent")


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    if event is None and any(words in line.text for words in BESIDE):
        return SWALLOWED
    if event is None or event.signature not in DETAILS:
        return OVER
    for name, value in event.fields.items():
        if name not in record.notes:  # the first named bit is the first error
            record.note(name, value)
    return SWALLOWED


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    return (with_fields(event=record.event, more=record.notes),) if record.event else ()


BUS_ERROR = RecordKind(
    name="bus_error", opens=_opens, take=_take, finish=_finish, is_kernel=True, line_limit=12
)
