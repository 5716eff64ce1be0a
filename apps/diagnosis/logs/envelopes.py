"""Whole blocks out of the collectors' wrappings that hide text: JSON lines, split CRI lines,
journal exports.

One line in, one line out, so that line numbers stay those of the source: a record told by several
lines stands
where its last line stood, the others are empty.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import orjson

from apps.diagnosis.json_weight import has_more_values
from apps.diagnosis.logs import escaped_line_ends, exceptions, record_facts
from apps.diagnosis.logs.parse import prefix_length
from apps.diagnosis.logs.record_facts import WrappingFacts

# Runtimes split at 16 KiB, and matching looks at 8: of what follows only the end is waited for.
PARTIAL_LIMIT = 16 << 10
FIELD_LIMIT = 60
SHORTEST = len('{"ts":1,"log":""}')  # what names a time and a text
# Of one line; a journal's message as bytes has one for each letter.
MOST_VALUES = 2 * PARTIAL_LIMIT
CRI_PARTIAL = re.compile(r"^(\d{4}-\S{15,35} (std(?:out|err)) )([FP])(?: (.*))?$", re.ASCII)
EXPORT_START = re.compile(r"^__(?:CURSOR|REALTIME_TIMESTAMP)=", re.MULTILINE)
# Of what stands before a record in its line: a container runtime, syslog and a launcher in a row.
PREFIX_LENGTH = 400
DEPTH = 3  # of records in records
JOURNAL_HOST = re.compile(r'"?_HOSTNAME"?[=:] ?"?([\w.:-]{1,253})', re.ASCII)


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

    def get(self, index: int) -> WrappingFacts | None:
        """Return what the wrapping of a line said."""
        record = self.records.get(index)
        return None if record is None else record_facts.told(record=record)

    def hosts(self) -> dict[int, str]:
        """Return the host of each line whose journal names it."""
        named = ((index, JOURNAL_HOST.search(said)) for index, said in self.records.items())
        return {index: found[1] for index, found in named if found}

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
        if self.partials or " stdout P" in text or " stderr P" in text:
            text = self._cri(lines=text.split("\n"))
        # Most logs hold none at all, which is seen soonest.
        if "{" in text and (text.startswith("{") or "\n{" in text or '{"' in text):
            return self._json(lines=text.split("\n"))
        return text, Wrappings()

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
            if found := self._opened(line, DEPTH):
                lines[index], records = found
                said[index] = "\n".join(records)
        return "\n".join(lines), Wrappings(said)

    def _opened(self, line: str, depth: int) -> tuple[str, list[str]] | None:
        """Return what a line with a record shows, and the records that tell of its sender."""
        at = _record_at(line)
        if at < 0 or _is_large(line):
            return None
        try:
            entry = orjson.loads(line[at:])
        except orjson.JSONDecodeError:
            return None
        text = record_facts.text(entry=entry)
        if text is None or (at and prefix_length(text=line[: at + 1]) < at):
            return None  # it is the message, or stands in the middle of one
        whole = self._joined(entry=entry, text=text)
        inner = self._opened(whole, depth - 1) if depth and "{" in whole else None
        shown, records = inner or (whole, [])
        beside = _one_line(exceptions.printed(fields=entry, beside=text))
        whole = "\r".join(filter(None, (shown, beside)))
        return _behind(line[:at], whole), [line[at:], *records]

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

    def rest(self) -> tuple[str, WrappingFacts] | None:
        """Return what the source left unfinished at its end."""
        if self.fields:
            return _one_line(self.fields.get("MESSAGE", "")), record_facts.of_fields(
                fields=self.fields
            )
        if self.partials:
            # Which came first depends on where blocks were cut.
            rests = (self.partials[stream] for stream in sorted(self.partials))
            return _one_line(" ".join(rests)), WrappingFacts()
        return None


def _is_large(line: str) -> bool:
    """Say whether a line holds more values than a record that somebody printed."""
    return len(line) > MOST_VALUES and has_more_values(
        text=line.encode("utf-8", "replace"), most=MOST_VALUES
    )


def _record_at(line: str) -> int:
    """Return where a record that ends a line may begin in it, -1 for nowhere."""
    if len(line) < SHORTEST:
        return -1
    if line[0] == "{":
        return 0
    return line.find('{"', 0, PREFIX_LENGTH) if line.rstrip().endswith("}") else -1


def _behind(prefix: str, text: str) -> str:
    """Return lines each behind a prefix, without it where that would repeat it without end."""
    count = text.count("\r") + 1
    if not prefix or len(prefix) * count > escaped_line_ends.MOST_REPEATED:
        return text
    return "\r".join(prefix + each for each in text.split("\r"))


def _export_begins(text: str) -> int:
    """Return where an export begins, -1 for nowhere. Others may stand before it."""
    if not text.startswith("__") and "\n__" not in text:
        return -1
    match = EXPORT_START.search(text)
    return match.start() if match is not None else -1


def _one_line(text: str) -> str:
    return text.rstrip("\n").replace("\n", "\r")  # a redrawn line is split like several
