"""Hardware errors that the firmware reports (APEI, CPER): severity, section, part and DIMM are one
event."""

import re
from dataclasses import replace

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

MARK = "[Hardware Error]:"
OPENERS = marked(RecordPart.PLATFORM_ERROR_OPENER)
SAYS = {
    "section": re.compile(r"section_type: ([\w /-]{3,60})", re.ASCII),
    "pci": re.compile(r"device_id: ([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])", re.ASCII),
    "dimm": re.compile(r"DIMM location: ?([\w /#-]{2,60})", re.ASCII),
    "part": re.compile(r"fru_text: ([\w /#-]{1,60})", re.ASCII),
    "error": re.compile(r"error_type: \d{1,3}, ([\w /-]{3,60})", re.ASCII),
    "physical": re.compile(r"physical_address: (0x[0-9a-f]{1,16})", re.ASCII),
}


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    is_next = event is not None and event.signature in OPENERS
    if MARK not in line.text or is_next:
        return OVER
    for name, pattern in SAYS.items():
        if name not in record.notes and (match := pattern.search(line.text)):
            record.note(name, match[1].strip())
    return SWALLOWED if event is None else LineOutcome(verdict=SWALLOWED.verdict)


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    if record.event is None:
        return ()
    event = with_fields(event=record.event, more=record.notes)
    is_bus = "PCIe" in record.notes.get("section", "")
    return (replace(event, causes=("pcie-error",)) if is_bus and event.causes else event,)


PLATFORM_ERROR = RecordKind(
    name="platform_error", opens=_opens, take=_take, finish=_finish, is_kernel=True, line_limit=40
)
