"""What Ray tells of the actor of a worker that failed: the host's name, its address lines below."""

import re

from apps.diagnosis.model import Event, LogLine, RecordPart
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

OPENERS = marked(RecordPart.RAY_ACTOR_OPENER)
ADDRESS = re.compile(r"\s{0,8}node_ip='(?P<ip>[\d.a-fA-F:]{2,45})',?\s*$", re.ASCII)
BESIDE = re.compile(r"\s{0,8}[a-z_]{2,24}=", re.ASCII)
MOST_LINES = 8


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    found = ADDRESS.match(line.text)
    if found is not None:
        record.note("ip", found["ip"])
        return LineOutcome(verdict=LineVerdict.LAST, events=())
    return SWALLOWED if BESIDE.match(line.text) else OVER


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    return (with_fields(event=record.event, more=record.notes),) if record.event else ()


RAY_ACTOR = RecordKind(
    name="ray_actor", opens=_opens, take=_take, finish=_finish, line_limit=MOST_LINES
)
