"""Tables of sacct: one event per job with its state, whatever line breaks stand inside a field."""

import re
from collections.abc import Mapping
from dataclasses import replace

from apps.diagnosis.logs.timestamps import ISO, instant, iso
from apps.diagnosis.model import Event, LogLine, RecordPart, Stream
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

# Column → field of the event. An exit code of sacct is `code:signal`, not that of a rank.
COLUMNS = {
    "JobID": "job",
    "State": "state",
    "ExitCode": "exit",
    "Start": "start",
    "End": "end",
    "NodeList": "nodes",
    "FailedNode": "host",
}
STATE_COLUMN = re.compile(r"(?:^|[| #])State(?:[| %]|$)", re.ASCII)
JOB = re.compile(r"\d{1,12}(?:_(?:\d{1,9}|\[[\d,%-]{1,80}\])|\+\d{1,6})?$", re.ASCII)
STATE = re.compile(r"[A-Z][A-Z_]{4,20}", re.ASCII)
RULE = re.compile(r"-{2,}(?: +-{2,})*\s*$", re.ASCII)
DASHES = re.compile(r"-+")
PRINTED = re.compile(ISO + "$", re.ASCII)
# A table of a whole cluster tells of so many jobs, not of all.
JOBS = 400
# What the only job of a table says for itself: of several, nobody knows which is ours.
SPEAKS = {
    "NODE_FAIL": RecordPart.ACCOUNTING_NODE_FAIL,
    "BOOT_FAIL": RecordPart.ACCOUNTING_BOOT_FAIL,
    "OUT_OF_MEMORY": RecordPart.ACCOUNTING_OUT_OF_MEMORY,
}
ROWS = marked(RecordPart.ACCOUNTING_ROW)


def _opens(line: LogLine, event: Event | None) -> bool:
    if event is None or event.signature not in ROWS:
        return False
    return STATE_COLUMN.search(line.text) is not None


def _begin(record: OpenRecord) -> None:
    """Keep of the names what the rows need: they may be longer than a stored line."""
    text = record.line.text
    if "|" not in text:
        record.note("names", text)
        return
    separator = "|#" if "|#" in text else "|"
    names = [name.strip().partition("%")[0] for name in text.split(separator)]
    places = {name: place for place, name in reversed(list(enumerate(names)))}
    record.note("separator", separator)
    record.note("width", str(len(names)))
    record.note("places", ",".join(f"{places[one]}={one}" for one in COLUMNS if one in places))


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    if not line.text.strip():
        return LineOutcome(verdict=LineVerdict.LAST, events=())
    if "separator" in record.notes:
        return _separated(record, line)
    if "spans" in record.notes:
        return _row(record, line, _cut(record, line.text))
    return _ruled(record, line)


def _separated(record: OpenRecord, line: LogLine) -> LineOutcome:
    """Take a row, or the part of one that a line break inside a field left."""
    width, done = int(record.notes["width"]), int(record.notes.get("done", "0"))
    fields = line.text.split(record.notes["separator"])
    if len(fields) == 1 and not done:
        return OVER
    if done and done + len(fields) - 1 > width:  # the row before it was torn
        done = 0
    first = done - 1 if done else 0  # the first field goes on where the line broke
    for place, _, name in (one.partition("=") for one in record.notes["places"].split(",")):
        at = int(place) - first
        if at in range(bool(done), len(fields)):
            record.note(name, fields[at].strip())
    done = first + len(fields)
    record.note("done", str(done if done < width else 0))
    if done < width:
        return SWALLOWED
    return _row(record, line, {name: record.notes.pop(name, "") for name in COLUMNS})


def _ruled(record: OpenRecord, line: LogLine) -> LineOutcome:
    """Take the rule under the names: it says how wide each column is."""
    if RULE.match(line.text) is None:
        return OVER
    names = record.notes["names"]
    spans = {}
    for match in DASHES.finditer(line.text):
        spans[names[slice(*match.span())].strip()] = match.span()
    record.note("spans", ",".join(f"{a}:{b}={n}" for n, (a, b) in spans.items() if n in COLUMNS))
    return SWALLOWED


def _cut(record: OpenRecord, text: str) -> dict[str, str]:
    found = {}
    for edges, _, name in (one.partition("=") for one in record.notes["spans"].split(",")):
        start, _, end = edges.partition(":")
        found[name] = text[int(start) : int(end)].strip() if end else ""
    return found


def _row(record: OpenRecord, line: LogLine, said: Mapping[str, str]) -> LineOutcome:
    state = STATE.match(said.get("State", ""))
    job = said.get("JobID", "")
    count = int(record.notes.get("jobs", "0"))
    if state is None or JOB.match(job) is None or count >= JOBS:
        return SWALLOWED  # a step of a job, or damaged
    fields = {COLUMNS[name]: value for name, value in said.items() if value and value != "Unknown"}
    if "one" in record.notes and record.notes["one"] != job:
        record.note("others", "yes")
    record.note("one", job)
    record.note("jobs", str(count + 1))
    record.note("ended", f"{state[0]} {fields.get('host', '')}".strip())
    record.note("at", f"{line.number} {fields.get('end', '')}")
    record.note("row", line.text)
    told = _event(line=line, part=RecordPart.ACCOUNTING_ROW, fields={**fields, "state": state[0]})
    return LineOutcome(verdict=LineVerdict.PART, events=(told,))


def _event(*, line: LogLine, part: RecordPart, fields: dict[str, str]) -> Event:
    """Return the event of a row at the end of its job."""
    printed = PRINTED.match(fields.get("end", ""))
    at, local_at = instant(stamp=iso(printed) if printed else None, origin=line.origin)
    placed = replace(line, at=at, local_at=local_at, stream=line.origin.stream or Stream.SCHEDULER)
    return plain_event(line=placed, signature=sole(part), fields=fields)


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    """Tell what befell the only job of the table, by its row and at its end."""
    state, _, host = record.notes.get("ended", "").partition(" ")
    if "others" in record.notes or state not in SPEAKS:
        return ()
    fields = {"job": record.notes["one"], "state": state}
    if host and not host.startswith("None"):
        fields["host"] = host
    number, _, ended = record.notes.get("at", "").partition(" ")
    if ended:
        fields["end"] = ended
    row = record.line
    if number:  # noted by this version
        row = replace(row, number=int(number), text=record.notes["row"])
    return (_event(line=row, part=SPEAKS[state], fields=fields),)


ACCOUNTING = RecordKind(
    name="accounting",
    opens=_opens,
    begin=_begin,
    take=_take,
    finish=_finish,
    is_kernel=True,  # a row may look as if it began with a prefix
    line_limit=100_000,
    reach=100_000,
)
