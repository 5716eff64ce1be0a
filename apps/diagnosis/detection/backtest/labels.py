"""A list of failures somebody wrote down: CSV or JSON, with the column names people use."""

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from apps.diagnosis.detection.metrics.identity import host_name
from apps.diagnosis.spelling import MOST_TOLD, meant, shown, slipped

COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        word: tuple(names.split())
        for word, names in {
            "at": "at time timestamp when failed_at failure_time datetime date ts",
            "host": "host node hostname nodename host_name node_name instance machine",
            "gpu": "gpu gpu_index gpu_id device index",
            "xid": "xid xid_code code",
            "kind": "kind type cause failure failure_type category class",
            "note": "note notes comment description message text",
            "part": "part shared culprit",
            "since": "since precursor_at first_sign",
            "until": "until repaired_at recovered_at ends_at end",
        }.items()
    }
)
KNOWN = frozenset(name for names in COLUMNS.values() for name in names)
LISTS = ("failures", "labels", "results")  # what a document calls its list
# Unix times by their size: seconds, milliseconds, nanoseconds.
SCALES = ((1e11, 1.0), (1e14, 1e-3), (float("inf"), 1e-9))


class LabelError(ValueError):
    """The list of failures can't be used; the message names the row and what to write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One failure that happened. Without a host it is of the cluster or of a shared part."""

    at: datetime
    host: str | None = None
    gpu: int | None = None
    xid: int | None = None
    kind: str = ""
    note: str = ""
    part: str | None = None
    since: datetime | None = None  # from when on a warning of it would be right
    until: datetime | None = None  # when it was repaired

    @property
    def title(self) -> str:
        """Return it in a few words."""
        what = self.kind or (f"Xid {self.xid}" if self.xid is not None else "failure")
        gpu = f" GPU {self.gpu}" if self.gpu is not None else ""
        return f"{what} on {self.host or self.part or 'a shared part'}{gpu}"


def read_labels(
    *, text: str, name: str, zone: str | None = None, heard: Callable[[str], object] | None = None
) -> tuple[Label, ...]:
    """Return the failures of a file, in order of time; raise LabelError.

    A column that is one of ours but for a slip is refused: without it the list says another
    thing. `heard` is told of the others that are not read.
    """
    rows = list(_json(text, name) if text.lstrip()[:1] in {"[", "{"} else _csv(text, name))
    columns = {str(key).strip() for _, row in rows for key in row if key}
    _check_columns(columns, name)
    if heard:
        for words in _not_read(columns):
            heard(f"{name}: {words}")
    found = [_label(row, f"{name}: {where}", zone) for where, row in rows]
    if not found:
        raise LabelError(
            f"{name}: no failures in it; write one a row, with the columns at and host"
        )
    return tuple(sorted(found, key=lambda each: (each.at, each.host or "", each.kind)))


def _check_columns(columns: Collection[str], name: str) -> None:
    """Raise LabelError for a column that is a misspelt one of those that the list has not."""
    lacking = _lacking(columns)
    for column in _unknown(columns):
        if found := slipped(word=column, known=lacking):
            raise LabelError(
                f"{name}: there is no column `{shown(word=column)}`; did you mean `{found}`? "
                "Rename it, or leave it out"
            )


def _not_read(columns: Collection[str]) -> Iterator[str]:
    """Yield what is said of columns that nothing is known by."""
    lacking = _lacking(columns)
    hints = {column: meant(word=column, known=lacking) for column in _unknown(columns)}
    for column, hint in hints.items():
        if hint:
            yield f"the column `{shown(word=column)}` is not read{hint}"
    if others := [shown(word=column) for column, hint in hints.items() if not hint]:
        yield f"columns that are not read: {', '.join(others)}"


def _unknown(columns: Collection[str]) -> list[str]:
    return sorted(column for column in columns if column.lower() not in KNOWN)[:MOST_TOLD]


def _lacking(columns: Collection[str]) -> list[str]:
    """Return the names of what a list has no column of."""
    given = {column.lower() for column in columns}
    # Who gave a `host` means no other column by it; a lost note costs no judgement.
    return [
        each
        for word, names in COLUMNS.items()
        if word != "note" and not given & set(names)
        for each in names
    ]


def _csv(text: str, name: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    if not lines:
        return []
    separator = max(",;\t", key=lines[0].count)
    reader = csv.DictReader(io.StringIO("\n".join(lines)), delimiter=separator)
    columns = [column.strip().lower() for column in reader.fieldnames or ()]
    if not set(columns) & set(COLUMNS["at"]):
        _check_columns(columns, name)
        raise LabelError(
            f"{name}: the first row names no time; it must be a header with a column called "
            f"{', '.join(COLUMNS['at'][:4])} … (found: {', '.join(columns)[:200]})"
        )
    return [(f"row {number}", row) for number, row in enumerate(reader, 2)]


def _json(text: str, name: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    try:
        # One object a line is told from one document by whether the whole can be read.
        found = json.loads(text)
    except ValueError:
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            raise LabelError(f"{name}: not readable as JSON: {error}") from error
    if isinstance(found, dict):
        inside = [found[key] for key in LISTS if key in found]
        found = inside[0] if inside else [_alone(found, name)]
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise LabelError(f"{name}: expected a list of objects, one a failure")
    return [(f"entry {number}", each) for number, each in enumerate(found, 1)]


def _alone(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object that is one failure; raise LabelError where it holds a list of some."""
    wrong = next((key for key, value in found.items() if isinstance(value, list)), None)
    if wrong is None:
        return found
    raise LabelError(
        f"{name}: there is no key `{shown(word=wrong)}`; the list stands under "
        f"{', '.join(LISTS)}{meant(word=wrong, known=LISTS)}"
    )


def _label(row: Mapping[str, Any], where: str, zone: str | None) -> Label:
    by_word = {str(key).strip().lower(): value for key, value in row.items() if key}

    def said(word: str) -> str:
        values = (by_word.get(column) for column in COLUMNS[word])
        return next((str(value).strip() for value in values if value not in {None, ""}), "")

    at = _instant(said("at"), where, zone)
    if at is None:
        raise LabelError(f"{where}: it tells no time")
    gpu = said("gpu").lower().removeprefix("gpu")
    return Label(
        at=at,
        host=host_name(said("host")),
        gpu=_number(gpu, where, "GPU index") if gpu else None,
        xid=_number(said("xid").lower().removeprefix("xid"), where, "Xid"),
        kind=said("kind"),
        note=said("note"),
        part=said("part") or None,
        since=_instant(said("since"), where, zone),
        until=_instant(said("until"), where, zone),
    )


def _number(text: str, where: str, what: str) -> int | None:
    if not text.strip():
        return None
    try:
        return int(float(text))
    except ValueError as error:
        raise LabelError(f"{where}: {text[:40]!r} is no {what}; write a whole number") from error


def _instant(text: str, where: str, zone: str | None) -> datetime | None:
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        return _written(text, where, zone)
    scale = next(scale for most, scale in SCALES if abs(number) < most)
    return datetime.fromtimestamp(number * scale, UTC)


def _written(text: str, where: str, zone: str | None) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise LabelError(
            f"{where}: {text[:40]!r} is no time; write 2026-03-01T12:00:00Z or Unix seconds"
        ) from error
    return found if found.tzinfo else found.replace(tzinfo=ZoneInfo(zone) if zone else UTC)
