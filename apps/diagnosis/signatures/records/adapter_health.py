"""Health reports of network adapters: the syndrome and the registers belong to the line that tells
of the trouble."""

from apps.diagnosis.model import Event, LogLine, RecordPart
from apps.diagnosis.signatures.event_builder import with_fields
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.multi_line_record import (
    FOREIGN,
    SWALLOWED,
    LineOutcome,
    OpenRecord,
    RecordKind,
)

OPENERS = marked(RecordPart.ADAPTER_HEALTH_OPENER)
DETAILS = marked(RecordPart.ADAPTER_HEALTH_DETAIL)


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    if record.event is None or event is None or event.signature not in DETAILS:
        return FOREIGN
    if event.fields.get("pci", "") not in {"", record.event.fields.get("pci", "")}:
        return FOREIGN
    for name in ("synd", "ext_synd", "fw_ver"):
        if name in event.fields and name not in record.notes:
            record.note(name, event.fields[name])
    if "synd" in event.fields and "kind" not in record.notes:
        record.note("kind", event.fields.get("what", ""))
    return SWALLOWED


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    return (with_fields(event=record.event, more=record.notes),) if record.event else ()


ADAPTER_HEALTH = RecordKind(
    name="adapter_health",
    opens=_opens,
    take=_take,
    finish=_finish,
    is_kernel=True,
    line_limit=24,
    reach=40,
)
