"""A GPU that fell off the bus, said by three lines, by one, by Xid 79, or by all of them: one
event."""

import re
from datetime import timedelta
from functools import lru_cache

from apps.diagnosis.logs.pci import normalised
from apps.diagnosis.model import Event, LogLine, RecordPart
from apps.diagnosis.signatures.event_builder import plain_event
from apps.diagnosis.signatures.marks import marked, sole
from apps.diagnosis.signatures.multi_line_record import (
    FOREIGN,
    OVER,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

OPENER = re.compile(
    r"NVRM: The NVIDIA GPU ([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-f])", re.ASCII
)
# What a driver says of one loss, it says within seconds; a lost GPU stays lost until the reset.
ONE_LOSS = timedelta(minutes=2)
LOST = "fallen off the bus"
SAYS_LOST, CODES = marked(RecordPart.OFF_BUS_LINE), marked(RecordPart.OFF_BUS_CODE)


def _opens(line: LogLine, event: Event | None) -> bool:
    return OPENER.search(line.text) is not None or (
        event is not None and event.signature in SAYS_LOST
    )


def _pci(line: LogLine, event: Event | None) -> str:
    return _address(line.text, event.fields.get("pci", "") if event else "")


@lru_cache(maxsize=16)
def _address(text: str, said: str) -> str:
    """Return where the GPU of a line sits: all open records ask about the same line."""
    match = OPENER.search(text)
    return normalised(address=match[1] if match else said)


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    if "pci" not in record.notes:
        record.note("pci", _pci(record.line, record.event))
        record.note("lost", LOST if record.event is not None else "")
    if _is_later(record.line, line):
        return OVER
    if _is_rest_of_triple(record, line):
        record.note("lost", LOST if LOST in line.text else "")
        return LineOutcome(verdict=LineVerdict.PART, events=())
    if (
        event is None
        or event.signature not in SAYS_LOST
        or _pci(line, event) != record.notes["pci"]
    ):
        return FOREIGN if _may_follow(record, line) else OVER
    if event.signature in CODES and not record.notes.get("is_xid") and not _is_xid(record):
        record.note("is_xid", "yes")  # says more: the held event gives way
        return LineOutcome(verdict=LineVerdict.PART, events=None)
    return LineOutcome(verdict=LineVerdict.PART, events=())


def _is_later(first: LogLine, line: LogLine) -> bool:
    """Say whether a line tells of another loss: in a quiet log it may stand right below."""
    if first.at and line.at:
        return line.at - first.at > ONE_LOSS
    if first.local_at and line.local_at:
        return line.local_at - first.local_at > ONE_LOSS
    if first.uptime_seconds is None or line.uptime_seconds is None:
        return False
    # Less than before is another boot.
    return not 0 <= line.uptime_seconds - first.uptime_seconds <= ONE_LOSS.total_seconds()


def _is_xid(record: OpenRecord) -> bool:
    return record.event is not None and record.event.signature in CODES


def _is_rest_of_triple(record: OpenRecord, line: LogLine) -> bool:
    if record.notes["lost"]:
        return False
    text = line.text.replace("NVRM:", "").strip()
    return text.startswith(("(PCI ID:", "installed in this system")) or (
        text.startswith(LOST) and "not responding" in text
    )


def _may_follow(record: OpenRecord, line: LogLine) -> bool:
    """Return whether the rest of a triple, or an echo, may still come."""
    return bool(record.notes["lost"]) or OPENER.search(line.text) is None


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    if record.notes.get("is_xid"):
        return ()
    if record.event is not None:
        return (record.event,)
    if not record.notes.get("lost"):
        return ()
    signature = sole(RecordPart.OFF_BUS_RESULT)
    fields = {"pci": record.notes["pci"]}
    return (plain_event(line=record.line, signature=signature, fields=fields),)


OFF_BUS = RecordKind(
    name="off_bus",
    opens=_opens,
    take=_take,
    finish=_finish,
    literals=("NVRM: The NVIDIA GPU ",),
    is_kernel=True,
    line_limit=20,
)
