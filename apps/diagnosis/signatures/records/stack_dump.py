"""Stacks that Python's faulthandler prints: of each thread that stands in the program's own code,
where. Those that wait inside a library are what all others look like; of a thread that crashed
there, the program's own call is told.
"""

import re

from apps.diagnosis.model import Event, LogLine, RecordPart
from apps.diagnosis.signatures.event_builder import plain_event
from apps.diagnosis.signatures.marks import marked, sole
from apps.diagnosis.signatures.multi_line_record import (
    OVER,
    SWALLOWED,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

OPENERS = marked(RecordPart.STACK_DUMP_OPENER)
THREAD = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]{1,16}\b", re.ASCII)
FRAME = re.compile(r'\s{1,4}File "([^"\n]{1,400})", line (\d{1,7}) in (\S{1,120})', re.ASCII)
LIBRARY = ("site-packages/", "dist-packages/", "lib/python3", "<frozen ")
NEXT = "next"  # whose frame is looked for: the one that comes, or the first of the program's own
ANY, OWN = "any", "own"
CRASHED = "Current thread"


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    if THREAD.match(line.text):
        record.note(NEXT, OWN if line.text.startswith(CRASHED) else ANY)
        return SWALLOWED
    frame = FRAME.match(line.text)
    if frame is None:
        return OVER if line.text.strip() else SWALLOWED
    is_library = any(part in frame[1] for part in LIBRARY)
    wanted = record.notes.get(NEXT, "")
    if wanted == ANY or not is_library:
        record.notes.pop(NEXT, "")
    if not wanted or is_library:
        return SWALLOWED
    fields = {"file": frame[1], "number": frame[2], "function": frame[3]}
    signature = sole(RecordPart.STACK_DUMP_RESULT)
    told = plain_event(line=line, signature=signature, fields=fields)
    return LineOutcome(verdict=LineVerdict.PART, events=(told,))


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    return ()


STACK_DUMP = RecordKind(
    name="stack_dump",
    opens=_opens,
    take=_take,
    finish=_finish,
    holds_opener=False,
    line_limit=400,
)
