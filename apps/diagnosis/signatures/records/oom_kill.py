"""The out-of-memory killer: the constraint line says which memory ran out, the next one who was
killed."""

from apps.diagnosis.model import Event, LogLine, RecordPart
from apps.diagnosis.signatures.event_builder import with_fields
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.multi_line_record import (
    FOREIGN,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

OPENERS, VICTIMS = marked(RecordPart.OOM_KILL_OPENER), marked(RecordPart.OOM_KILL_VICTIM)


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    opener = record.event
    if opener is None or event is None or event.signature not in VICTIMS:
        return FOREIGN
    if event.fields.get("pid") != opener.fields.get("pid"):
        return FOREIGN
    said = {
        name: opener.fields[name]
        for name in ("constraint", "oom_memcg", "task_memcg")
        if name in opener.fields
    }
    return LineOutcome(verdict=LineVerdict.LAST, events=(with_fields(event=event, more=said),))


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    return ()


OOM_KILL = RecordKind(
    name="oom_kill",
    opens=_opens,
    take=_take,
    finish=_finish,
    is_kernel=True,
    holds_opener=False,
    line_limit=8,
)
