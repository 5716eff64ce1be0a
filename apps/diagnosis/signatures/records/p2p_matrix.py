"""Tables of bandwidth between GPUs, with direct access off and on: on must not be the slower."""

import re
from statistics import median

from apps.diagnosis.model import Event, LogLine, RecordPart
from apps.diagnosis.signatures.event_builder import plain_event
from apps.diagnosis.signatures.marks import sole
from apps.diagnosis.signatures.multi_line_record import (
    FOREIGN,
    OVER,
    SWALLOWED,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

TITLE = re.compile(r"directional P2P=(Disabled|Enabled) Bandwidth", re.ASCII)
ROW = re.compile(r"\s{0,20}(\d{1,3})((?:\s{1,12}\d{1,6}\.\d{1,4}){2,72})\s{0,8}$", re.ASCII)
# Direct access is some times faster; where it is this much slower, something diverts it.
SLOWER = 0.7


def _opens(line: LogLine, event: Event | None) -> bool:
    match = TITLE.search(line.text)
    return match is not None and match[1] == "Disabled"


def _begin(record: OpenRecord) -> None:
    record.note("part", "Disabled")


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    title, row = TITLE.search(line.text), ROW.match(line.text)
    if title is not None:
        if title[1] == "Disabled":
            return OVER
        record.note("part", "Enabled")
    elif row is not None:
        others = [rate for place, rate in enumerate(row[2].split()) if place != int(row[1])]
        part = record.notes["part"]
        record.note(part, " ".join([record.notes.get(part, ""), *others]))
    elif "P2P=" in line.text:
        return LineOutcome(verdict=LineVerdict.LAST, events=())
    else:
        return FOREIGN
    return SWALLOWED


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    off, on = (
        [float(rate) for rate in record.notes.get(part, "").split()]
        for part in ("Disabled", "Enabled")
    )
    if not off or not on or median(on) >= SLOWER * median(off):
        return ()
    fields = {"off_gb": f"{median(off):.1f}", "on_gb": f"{median(on):.1f}"}
    signature = sole(RecordPart.P2P_MATRIX_RESULT)
    return (plain_event(line=record.line, signature=signature, fields=fields),)


P2P_MATRIX = RecordKind(
    name="p2p_matrix",
    opens=_opens,
    begin=_begin,
    take=_take,
    finish=_finish,
    literals=("P2P=Disabled Bandwidth",),
    line_limit=200,
    reach=400,
)
