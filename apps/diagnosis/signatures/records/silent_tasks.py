"""Tasks that JAX's coordination service no longer hears: each on a line of its own."""

import re

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

OPENERS = marked(RecordPart.SILENT_TASKS_OPENER)
# `/job:jax_worker/replica:0/task:3` of old versions, the number alone of new ones.
TASK = re.compile(r"^\s{0,8}(?:/job:[\w/:-]{1,80}/task:)?(?P<number>\d{1,6})\s{0,8}$", re.ASCII)
# More than this is no list of who went first.
MOST_TASKS = 16


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS and not event.fields.get("ranks")


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    found = TASK.match(line.text)
    if found is None:
        return OVER
    known = record.notes.get("ranks")
    record.note("ranks", f"{known},{found['number']}" if known else found["number"])
    return SWALLOWED


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    if record.notes.get("ranks", "").count(",") >= MOST_TASKS:
        del record.notes["ranks"]
    return (with_fields(event=record.event, more=record.notes),) if record.event else ()


SILENT_TASKS = RecordKind(
    name="silent_tasks",
    opens=_opens,
    take=_take,
    finish=_finish,
    is_kernel=True,  # the lines behind the first have no prefix
    line_limit=MOST_TASKS + 1,
)
