"""Whole blocks out of the collectors' wrappings that hide text: JSON lines, split CRI lines,
journal exports.

One line in, one line out, so that line numbers stay those of the source: a record told by several
lines stands
where its last line stood, the others are empty.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from apps.diagnosis.input_values import MOST_CALLS, instant, instant_of, whole_number
from apps.diagnosis.json_weight import has_more_values
from apps.diagnosis.logs.stamp import ISO, Stamp, iso

# Runtimes split at 16 KiB, and matching looks at 8: of what follows only the end is waited for.
PARTIAL_LIMIT = 16 << 10
FIELD_LIMIT = 60
SHORTEST = len('{"ts":1,"log":""}')  # what names a time and a text
# Of one line; a journal's message as bytes has one for each letter.
MOST_VALUES = 2 * PARTIAL_LIMIT
CRI_PARTIAL = re.compile(r"^(\d{4}-\S{15,35} (std(?:out|err)) )([FP])(?: (.*))?$", re.ASCII)
EXPORT_START = re.compile(r"^__(?:CURSOR|REALTIME_TIMESTAMP)=", re.MULTILINE)
TEXT_KEYS = ("log", "MESSAGE", "message", "msg", "line", "text", "body")
TIME_KEYS = ("time", "timestamp", "@timestamp", "ts", "asctime", "date")
HOST_KEYS = ("_HOSTNAME", "hostname", "host", "node", "node_name")
# Where collectors put what they know of the sender.
ABOUT_KEYS = ("kubernetes", "labels", "stream", "docker")
PRINTED = re.compile(ISO + r"(?: ?(UTC))?$", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """What the wrapping said about a line."""

    at: datetime | None = None
    stamp: Stamp | None = None  # as printed, where the entry names no zone
    host: str | None = None
    pid: int | None = None
    is_kernel: bool = False


@dataclass(frozen=True, slots=True)
class Wrappings:
    """Records by 0-based line, as they were printed: most lines are asked by nobody."""

    records: dict[int, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether any line was wrapped."""
        return bool(self.records)

    def __contains__(self, index: int) -> bool:
        """Whether a line was wrapped."""
        return index in self.records

    def get(self, index: int) -> Wrapped | None:
        """Return what the wrapping of a line said."""
        record = self.records.get(index)
        if record is None:
            return None
        return _wrapped(orjson.loads(record) if record.startswith("{") else _fields(record))

    def behind(self, *, other: "Wrappings", shift: int) -> "Wrappings":
        """Return these and those of lines that stand behind them."""
        later = {shift + index: record for index, record in other.records.items()}
        return Wrappings(self.records | later)


@dataclass(slots=True)
class Unwrapper:
    """Unwrap block after block of one source; holds what a block left unfinished."""

    partials: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    is_export: bool = False

    def unwrap(self, *, text: str) -> tuple[str, Wrappings]:
        """Return the text with wrappings off, and what they said."""
        begins = 0 if self.is_export else _export_begins(text)
        if begins < 0:
            return self._inside(text)
        if begins == 0:
            return self._export(lines=text.split("\n"))
        before, said = self._inside(text[: begins - 1])
        exported, told = self._export(lines=text[begins:].split("\n"))
        shift = before.count("\n") + 1
        return f"{before}\n{exported}", said.behind(other=told, shift=shift)

    def _inside(self, text: str) -> tuple[str, Wrappings]:
        said = Wrappings()
        if text.startswith("{") or "\n{" in text:
            text, said = self._json(lines=text.split("\n"))
        if self.partials or " stdout P" in text or " stderr P" in text:
            text = self._cri(lines=text.split("\n"))
        return text, said

    def _cri(self, *, lines: list[str]) -> str:
        for index, line in enumerate(lines):
            match = CRI_PARTIAL.match(line)
            if match is None:
                continue
            head, stream, tag, said = match.groups()
            stream = f"cri {stream}"
            whole = (self.partials.pop(stream, "") + (said or ""))[:PARTIAL_LIMIT]
            if tag == "P":
                self.partials[stream] = whole
                lines[index] = ""
            else:
                lines[index] = f"{head}F {whole}"
        return "\n".join(lines)

    def _json(self, *, lines: list[str]) -> tuple[str, Wrappings]:
        said: dict[int, str] = {}
        for index, line in enumerate(lines):
            if len(line) < SHORTEST or line[0] != "{" or _is_large(line):
                continue
            try:
                entry = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            text = _text(entry)
            if text is None:
                continue
            lines[index] = self._joined(entry=entry, text=text)
            said[index] = line
        return "\n".join(lines), Wrappings(said)

    def _joined(self, *, entry: dict[str, Any], text: str) -> str:
        """Return the line once complete: docker ends each whole line with a line feed."""
        if "log" not in entry or "stream" not in entry:
            return _one_line(text)
        stream = f"docker {entry['stream']}"
        whole = (self.partials.pop(stream, "") + text)[:PARTIAL_LIMIT]
        if text.endswith("\n") or len(whole) == PARTIAL_LIMIT:
            return _one_line(whole)
        self.partials[stream] = whole
        return ""

    def _export(self, *, lines: list[str]) -> tuple[str, Wrappings]:
        said: dict[int, str] = {}
        for index, line in enumerate(lines):
            self.is_export = self.is_export or EXPORT_START.match(line) is not None
            if not self.is_export:
                continue
            lines[index] = ""
            name, equals, value = line.partition("=")
            if equals and name.replace("_", "").isalnum():
                if len(self.fields) < FIELD_LIMIT:
                    self.fields[name] = value[: PARTIAL_LIMIT if name == "MESSAGE" else 300]
            elif not line and self.fields:
                message = self.fields.get("MESSAGE", "")
                if message:
                    lines[index] = _one_line(message)
                    said[index] = "\n".join(map("=".join, self.fields.items()))
                self.fields = {}
        return "\n".join(lines), Wrappings(said)

    def rest(self) -> tuple[str, Wrapped] | None:
        """Return what the source left unfinished at its end."""
        if self.fields:
            return _one_line(self.fields.get("MESSAGE", "")), _wrapped(self.fields)
        if self.partials:
            return _one_line(" ".join(self.partials.values())), Wrapped()
        return None


def _is_large(line: str) -> bool:
    """Say whether a line holds more values than a record that somebody printed."""
    return len(line) > MOST_VALUES and has_more_values(
        text=line.encode("utf-8", "replace"), most=MOST_VALUES
    )


def _fields(record: str) -> dict[str, Any]:
    """Return the fields of an exported record."""
    return dict(line.split("=", 1) for line in record.split("\n"))


def _export_begins(text: str) -> int:
    """Return where an export begins, -1 for nowhere. Others may stand before it."""
    if not text.startswith("__") and "\n__" not in text:
        return -1
    match = EXPORT_START.search(text)
    return match.start() if match is not None else -1


def _one_line(text: str) -> str:
    return text.rstrip("\n").replace("\n", "\r")  # a redrawn line is split like several


def _text(entry: object) -> str | None:
    """Return the text inside a JSON line, None where the line itself is the message."""
    if not isinstance(entry, dict) or not any(key in entry for key in (*TIME_KEYS, "MESSAGE")):
        return None
    for key in TEXT_KEYS:
        value = entry.get(key)
        if isinstance(value, str):
            return value
        if key == "MESSAGE" and isinstance(value, list):  # journald: bytes, where there are escapes
            return bytes(one & 0xFF for one in value if isinstance(one, int)).decode(
                "utf-8", "replace"
            )
    return None


def _wrapped(entry: dict[str, Any]) -> Wrapped:
    host = next((one for about in _abouts(entry) if (one := _named(about))), None)
    pid = str(entry.get("_PID") or entry.get("pid") or entry.get("process") or "")
    at = _at(entry)
    return Wrapped(
        at=at,
        stamp=_stamp(entry) if at is None else None,
        host=host or None,
        pid=whole_number(pid),
        is_kernel=entry.get("_TRANSPORT") == "kernel" or entry.get("SYSLOG_IDENTIFIER") == "kernel",
    )


def _abouts(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an entry and what it holds about its sender."""
    return [entry, *(about for key in ABOUT_KEYS if isinstance(about := entry.get(key), dict))]


def _named(entry: dict[str, Any]) -> str | None:
    return next((one for key in HOST_KEYS if isinstance(one := entry.get(key), str) and one), None)


def _stamp(entry: dict[str, Any]) -> Stamp | None:
    """Return a time as printed that names no zone."""
    value = next((entry[key] for key in TIME_KEYS if key in entry), None)
    match = PRINTED.match(value) if isinstance(value, str) else None
    return iso(match, zone="Z" if match.group(9) else None) if match else None


def _at(entry: dict[str, Any]) -> datetime | None:
    """Return the time of an entry if it names its zone, or counts from the epoch."""
    realtime = str(entry.get("__REALTIME_TIMESTAMP", ""))
    try:
        counted = whole_number(realtime, most=MOST_CALLS)
        if counted is not None:
            return instant_of(counted / 1e6)
        value = next((entry[key] for key in TIME_KEYS if key in entry), None)
        if isinstance(value, int | float):
            return instant_of(value / (1000 if value > 1e11 else 1))
    except OverflowError:
        return None
    return instant(value)
