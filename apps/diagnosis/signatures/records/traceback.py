"""Python tracebacks: the first of a chain is the cause, the later ones follow from it; of a group
the exceptions inside are, not the group."""

import re
from dataclasses import replace

from apps.diagnosis.model import Event, LogLine, Mark, RecordPart, Role
from apps.diagnosis.signatures.event_builder import plain_event, with_fields
from apps.diagnosis.signatures.marks import marked, sole
from apps.diagnosis.signatures.multi_line_record import (
    OVER,
    SWALLOWED,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

OPENER = "Traceback (most recent call last):"
CHAIN = ("During handling of the above exception", "The above exception was the direct cause")
FRAME = re.compile(r'\s{1,8}File "([^"]{1,400})", line (\d{1,7}), in (\S{1,120})')
# Groups draw their members to the right of a line.
MARGIN = re.compile(r"\s{0,40}[|+] ?", re.ASCII)
MEMBER = re.compile(r"\s{0,40}\+[-+]{1,60} ?(?:(\d{1,4}|\.\.\.) -|-)", re.ASCII)
GROUP = "Exception Group Traceback"
FINAL = re.compile(r"\s{0,4}([A-Za-z_][\w.]{0,160})(?:: ?(.{0,400}))?$", re.ASCII)
# Where an interpreter keeps what was installed: the rest of a path names the library.
INSTALLED = re.compile(r"/(?:site|dist)-packages/(([A-Za-z]\w{0,60})(?:/|\.py)\S{0,300})", re.ASCII)
# A library that says more than its package does.
INNER = ("torch/distributed/",)
# Ray wraps what a worker raised: the worker's own traceback follows, its place stands here.
REMOTE = re.compile(
    r"(ray\.exceptions\.RayTaskError)(?:\(\w{1,80}\))?: (.{0,300}?)"
    r"\(pid=(\d{1,10}), ip=([\w.:-]{1,64})",
    re.ASCII,
)
# What journals and syslog daemons put before each line of a program.
TAG = re.compile(r"[\w./@-]{1,128}\[\d{1,10}\]: ", re.ASCII)
FRAMES = 8
OF_FRAMES = ("frames", "outermost", "library", "raised_in")
TOP = "<module>"  # the interpreter prints an exception from there that nobody caught
UNNAMED = marked(Mark.EXCEPTION)
OPENERS = marked(RecordPart.TRACEBACK_OPENER)
LATER_ROLES = frozenset({Role.INITIATING, Role.CONFIRMATION})


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    line = _untagged(record, line)
    is_grouped = "group" in record.notes or GROUP in record.line.text or GROUP in line.text
    if is_grouped:
        record.note("group", "yes")
        if MEMBER.match(line.text):
            record.notes = {"group": "yes", "member": "yes"}
            return SWALLOWED
        line = replace(line, text=MARGIN.sub("", line.text, count=1))
    text = line.text
    if OPENER in text:
        return _next_traceback(record)
    if text.lstrip().startswith(CHAIN):
        record.note("chain", str(int(record.notes.get("chain", "0")) + 1))
        record.notes.pop("final", None)
    elif text.strip() and "final" in record.notes:
        return OVER
    elif text.strip() and text[0] not in " \t":
        return _final(record, line, event)
    return _frame(record, text)


def _untagged(record: OpenRecord, line: LogLine) -> LogLine:
    """Return a line without the program's name, where the first had the same before it."""
    tag = TAG.match(record.line.text)
    if tag is None or not line.text.startswith(tag[0]):
        return line
    return replace(line, text=line.text[tag.end() :])


def _next_traceback(record: OpenRecord) -> LineOutcome:
    if "final" in record.notes:  # not chained: an exception of its own
        return OVER
    for name in OF_FRAMES:
        record.notes.pop(name, None)
    return SWALLOWED


def _frame(record: OpenRecord, text: str) -> LineOutcome:
    match = FRAME.match(text)
    if match is not None:
        path, _, function = match.groups()
        if "frames" not in record.notes and function == TOP:
            record.note("outermost", TOP)
        frames = [
            *record.notes.get("frames", "").split(" > "),
            f"{path.rsplit('/', 1)[-1]}:{function}",
        ]
        record.note("frames", " > ".join(one for one in frames[-FRAMES:] if one))
        _note_library(record, path)
    return SWALLOWED


def _note_library(record: OpenRecord, path: str) -> None:
    """Remember whose file the latest frame stands in, and which, where it was installed."""
    installed = INSTALLED.search(path)
    inside, package = installed.groups() if installed else ("", "")
    inner = next((one for one in INNER if inside.startswith(one)), "")
    record.note("library", inner.strip("/").replace("/", ".") or package)
    record.note("raised_in", inside)


def _final(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    remote = REMOTE.match(line.text)
    if remote is not None:
        return _remote(record, event or _unnamed(line=line, match=remote), remote)
    match = FINAL.match(line.text)
    if match is None and event is None:
        return OVER
    record.note("final", line.text)
    if event is None and match is not None:
        event = _unnamed(line=line, match=match)
    if event is None:
        return LineOutcome(verdict=LineVerdict.PART, events=())
    chain = record.notes.get("chain", "0")
    is_whole_group = "group" in record.notes and "member" not in record.notes
    is_later = chain != "0" or is_whole_group
    role = Role.CASCADE if is_later and event.role in LATER_ROLES else None
    said = {name: record.notes.get(name, "") for name in OF_FRAMES}
    more = {"chain": chain, **{name: value for name, value in said.items() if value}}
    told = with_fields(event=_placed(event, record), role=role, more=more)
    return LineOutcome(verdict=LineVerdict.PART, events=(told,))


def _remote(record: OpenRecord, event: Event, match: re.Match[str]) -> LineOutcome:
    """Remember what wraps an exception, and where that was raised."""
    record.note("pid", match[3])
    record.note("host", match[4])
    for name in OF_FRAMES:
        record.notes.pop(name, None)
    record.note("outermost", TOP)  # nothing on the worker caught it
    record.event = event
    return SWALLOWED


def _placed(event: Event, record: OpenRecord) -> Event:
    """Return an event with the host and process that a wrapper named; what the wrapper's words
    mean stands where the exception's own mean nothing.
    """
    pid = record.notes.get("pid")
    if pid is None or record.event is None:
        return event
    line = replace(event.line, host=record.notes["host"], pid=int(pid))
    is_known = event.signature not in UNNAMED or record.event.signature in UNNAMED
    return replace(event if is_known else record.event, line=line)


def _unnamed(*, line: LogLine, match: re.Match[str]) -> Event:
    """Return the event of an exception whose class no signature knows."""
    fields = {"exc": match[1], "msg": match[2] or ""}
    return plain_event(line=line, signature=sole(Mark.EXCEPTION), fields=fields)


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    """Return the wrapper itself where the log ends before what it wraps."""
    if "pid" not in record.notes or "final" in record.notes or record.event is None:
        return ()
    return (_placed(record.event, record),)


TRACEBACK = RecordKind(
    name="traceback",
    opens=_opens,
    take=_take,
    finish=_finish,
    holds_opener=False,
    line_limit=300,
    reach=4000,
)
