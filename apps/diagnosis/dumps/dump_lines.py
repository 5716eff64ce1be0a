"""Any dump → lines of text, so that it travels as a log does: stored, pushed and read again."""

import json
from typing import Any

from apps.diagnosis.dumps.flight import flight_recorder
from apps.diagnosis.dumps.flight.flight_lines import record_lines
from apps.diagnosis.dumps.flight.pickle_machine import RefusedPickle
from apps.diagnosis.dumps.flight.plain_pickle import PROTOCOL, plain
from apps.diagnosis.dumps.line_encoding import compact
from apps.diagnosis.dumps.nccl import inspector, ras
from apps.diagnosis.dumps.nccl.nccl_lines import place_lines, report_line, times_lines
from apps.diagnosis.json_weight import is_heavier

MOST_BYTES = 32 * 2**20
# Of the values of a JSON text as objects: stacks of frames take six times their letters.
MOST_MEMORY, MEMORY_A_BYTE = 48 * 2**20, 6
MOST_LINES = 200_000  # of a report, or of the Inspector's output
# What must stand in the first bytes of a text that is worth parsing as a whole.
HEAD_BYTES = 64 * 2**10
MARKS = (b'"pg_config"', b'"pg_status"', b'"profiling_name"', b'"collective_seq_id"')
NEWEST_PROTOCOL = 5
REFUSED = "faultline.dump-refused "


def looks_like_dump(*, head: bytes) -> bool:
    """Say whether a file that begins so is to be read as a whole."""
    head = head[:HEAD_BYTES]
    if head[:1] == PROTOCOL:
        return len(head) > 1 and head[1] <= NEWEST_PROTOCOL
    if ras.looks_like_report(head=head) or inspector.looks_like_times(head=head):
        return True
    return head.lstrip()[:1] == b"{" and any(mark in head for mark in MARKS)


def as_text(*, data: bytes, name: str, rank: int | None = None) -> str | None:
    """Return the lines that stand for a dump, None for a text that is none.

    A pickle that is no dump gives a line that says why it was refused. Never raises.
    """
    if data[:1] == PROTOCOL:
        lines = _of_pickle(data, name, rank)
    elif len(data) >= MOST_BYTES or _has_too_many_lines(data):
        lines = []
    elif ras.looks_like_report(head=data[:HEAD_BYTES]):
        lines = _of_report(data)
    elif inspector.looks_like_times(head=data[:HEAD_BYTES]):
        times = inspector.times_of(text=data.decode("utf-8", "replace"))
        lines = times_lines(times=times)
    else:
        lines = _of_records(_json(data), name, rank)
    return "\n".join(lines) or None


def _of_pickle(data: bytes, name: str, rank: int | None) -> list[str]:
    try:
        lines = _of_records(plain(data=data), name, rank)
    except RefusedPickle as error:
        return [_refused(name, str(error))]
    return lines or [_refused(name, "a pickle, but no flight-recorder dump of a known rank")]


def _of_records(value: Any, name: str, rank: int | None) -> list[str]:
    records = flight_recorder.records(dump=value, name=name, rank=rank)
    return [line for one in records for line in record_lines(record=one)]


def _of_report(data: bytes) -> list[str]:
    """Keep a report in words as it is, and put its line behind; of JSON say what words would."""
    is_json = data.lstrip()[:1] == b"{"
    text = data.decode("utf-8", "replace").rstrip("\n")
    report = ras.of_json(value=_json(data)) if is_json else ras.of_text(text=text)
    if report is None:
        return []
    words = place_lines(report=report) if is_json else [text]
    return [*words, report_line(report=report)]


def _refused(name: str, why: str) -> str:
    return REFUSED + compact(value={"file": name[-120:], "why": why})


def _has_too_many_lines(data: bytes) -> bool:
    """Say so of what is read line by line."""
    is_whole = data.lstrip()[:1] == b"{" and not inspector.looks_like_times(head=data[:HEAD_BYTES])
    return not is_whole and data.count(b"\n") > MOST_LINES


def _json(data: bytes) -> Any:
    """Return what a JSON text holds; None where it is none, or too large."""
    most = MOST_MEMORY + MEMORY_A_BYTE * len(data)
    if len(data) > MOST_BYTES or is_heavier(text=data, most=most):
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
