"""What a notice of Open MPI says in the rows below its first line: which process left and how, or
which host it lost.
"""

import re

from apps.diagnosis.model import Event, LogLine, RecordPart
from apps.diagnosis.signatures.event_builder import with_fields
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.multi_line_record import (
    FOREIGN,
    OVER,
    SWALLOWED,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

OPENERS = marked(RecordPart.MPI_NOTICE_OPENER)
# Names of processes end in `,<rank>]`: `[[6783,1],2]` in old versions, `[prterun-n7-88@1,2]` now.
ROW = re.compile(
    r"\s{1,8}(?:Process name: {1,8}\[[^\n]{1,120},(?P<rank>\d{1,7})\]"
    r"|(?:Exit code:|Errorcode:) {1,8}(?P<exitcode>-?\d{1,6})"
    r"|Peer host: {1,8}(?P<peer>[\w.:-]{1,253})"
    r"|(?:Remote daemon:[^\n]{1,120} on node|target node:) {1,8}(?P<host>[\w.:-]{1,253}))\s*$"
    r"|with errorcode (?P<errorcode>-?\d{1,6})\."
    r"|\*\*\* reported by process \[\d{1,12},(?P<by>\d{1,7})\]",
    re.ASCII,
)
SAME = {"errorcode": "exitcode", "by": "rank"}  # two forms of one row
RULE = re.compile(r"-{20,}\s*$")
MOST_LINES = 24


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    if RULE.match(line.text):
        return LineOutcome(verdict=LineVerdict.LAST)
    if event is not None:
        return OVER if event.signature in OPENERS else FOREIGN
    found = ROW.match(line.text)
    for name, said in found.groupdict().items() if found else ():
        if said is not None:
            record.note(SAME.get(name, name), said)
    return SWALLOWED


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    return (with_fields(event=record.event, more=record.notes),) if record.event else ()


MPI_NOTICE = RecordKind(
    name="mpi_notice",
    opens=_opens,
    take=_take,
    finish=_finish,
    line_limit=MOST_LINES,
    reach=MOST_LINES,
)
