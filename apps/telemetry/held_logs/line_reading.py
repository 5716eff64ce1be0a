"""A stored line → what is shown of it: its text, its time, its rank and its level."""

import re
from datetime import datetime
from typing import Final

from apps.diagnosis.logs.line_cleaning import without_escapes
from apps.diagnosis.logs.parse import parse
from apps.diagnosis.model import Origin
from apps.telemetry.formats.line_merge import instant
from apps.telemetry.held_logs.line_parts import PartText
from apps.telemetry.held_logs.values import HeldLine

SHOWN_LETTERS: Final = 4_000
LEVEL_REACH: Final = 160  # letters from the start: behind them a word is what the line tells of
LEVELS: Final = ("error", "warning", "info", "debug")
# Only what a logger writes as its level: "0 errors" is none.
LEVEL_WORD: Final = re.compile(
    r"(?P<glog>\b[EWIFD](?=\d{3,4} \d\d:\d\d:\d\d|\d{4} \d\d))"
    r'|"(?:level|severity|levelname)" ?: ?"(?P<json>[A-Za-z]{3,9})"'
    r"|\b(?:level|lvl)=(?P<logfmt>[A-Za-z]{3,9})"
    r"|:(?P<kernel>emerg|alert|crit|err|warn|notice|info|debug) *:"
    r"|^<(?P<priority>[0-7])>"
    r"|(?P<word>\b(?:FATAL|CRITICAL|ERROR|ERR|SEVERE|WARN|WARNING|INFO|NOTICE|DEBUG|TRACE)\b)",
    re.ASCII,
)
MEANT: Final = {
    "e": "error", "f": "error", "fatal": "error", "critical": "error", "error": "error",
    "err": "error", "severe": "error", "emerg": "error", "alert": "error", "crit": "error",
    "w": "warning", "warn": "warning", "warning": "warning",
    "i": "info", "info": "info", "notice": "info",
    "d": "debug", "debug": "debug", "trace": "debug",
}  # fmt: skip
PRIORITIES: Final = ("error",) * 4 + ("warning",) + ("info",) * 2 + ("debug",)


def shown_line(*, part: PartText, index: int, origin: Origin) -> HeldLine:
    """Return a line of a part as it is shown."""
    raw = part.line(index)
    text = without_escapes(text=raw[: 4 * SHOWN_LETTERS].decode("utf-8", "replace"))
    envelope = None if part.stamps is None else instant(nanoseconds=int(part.stamps[index]))
    number = part.first + index
    # What is shown is what the reasoning reads: one parser, one time.
    line = parse(text=text, origin=origin, number=number, envelope_at=envelope)
    return HeldLine(
        number=number,
        text=text[:SHOWN_LETTERS],
        is_cut=len(text) > SHOWN_LETTERS or len(raw) > 4 * SHOWN_LETTERS,
        at=line.at,
        is_envelope_time=envelope is not None and line.at == envelope,
        local_at=line.local_at,
        host=line.host or "",
        rank=line.rank,
        level=level_of(text),
    )


def time_of(*, part: PartText, index: int, origin: Origin) -> datetime | None:
    """Return the time of a line, None where it prints none that has a zone."""
    if part.stamps is not None:
        return instant(nanoseconds=int(part.stamps[index]))
    text = without_escapes(text=part.line(index)[:SHOWN_LETTERS].decode("utf-8", "replace"))
    return parse(text=text, origin=origin, number=part.first + index).at


def level_of(text: str) -> str:
    """Return the level that a logger wrote in front of a line; empty where there is none."""
    found = LEVEL_WORD.search(text[:LEVEL_REACH])
    if found is None:
        return ""
    if found["priority"]:
        return PRIORITIES[int(found["priority"])]
    return MEANT.get((found[found.lastgroup or 0] or "").lower(), "")
