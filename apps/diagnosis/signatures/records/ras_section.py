"""Parts of a report of NCCL's health service: what is said of a rank depends on the heading."""

from apps.diagnosis.model import Event, LogLine, RecordPart, Role
from apps.diagnosis.signatures.event_builder import with_fields
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.multi_line_record import (
    OVER,
    SWALLOWED,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

OPENERS, RANKS = marked(RecordPart.RAS_SECTION_OPENER), marked(RecordPart.RAS_SECTION_RANK)
UNANSWERED = "INCOMPLETE"


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    if line.text.strip() and not line.text.startswith("  "):
        return OVER
    if event is None or event.signature not in RANKS:
        return SWALLOWED if event is None else LineOutcome(verdict=LineVerdict.PART)
    section = record.event.fields.get("what", "") if record.event else ""
    # Elsewhere the same words only say where a rank runs.
    role = event.role if section == UNANSWERED else Role.CONTEXT
    told = with_fields(event=event, more={"section": section}, role=role)
    return LineOutcome(verdict=LineVerdict.PART, events=(told,))


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    del record
    return ()


RAS_SECTION = RecordKind(
    name="ras_section",
    opens=_opens,
    take=_take,
    finish=_finish,
    holds_opener=False,
    line_limit=200,
)
