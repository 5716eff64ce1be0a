"""The report of a straggler detection: it is about the member it names, not about who prints it."""

import re
from dataclasses import replace

from apps.diagnosis.model import Event, LogLine, Mark
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.multi_line_record import OVER, LineOutcome, OpenRecord, RecordKind

OPENERS = marked(Mark.NAMES_SLOW)
NAMED = re.compile(r"rank=(\d{1,7}), node='([\w.-]{1,253})'", re.ASCII)


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    return OVER


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    if record.event is None:
        return ()
    named = sorted((node, int(rank)) for rank, node in NAMED.findall(record.line.text))
    if not named:
        return (record.event,)
    line = replace(record.line, host=named[0][0], rank=named[0][1])
    return (replace(record.event, line=line),)


STRAGGLER = RecordKind(name="straggler", opens=_opens, take=_take, finish=_finish, line_limit=2)
