"""Records of JSON, one a line, that say themselves where they belong → pieces by their labels."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from apps.diagnosis.input_values import rank_number
from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.lines import Complaints, Piece

# The cluster decides who may write, so it is named before the records are read. Programs print
# `retry` and `filename` with other meanings than agents.
NAMES: Final = frozenset({"session", "attempt", "host", "rank", "stream", "tz"})
PRINTED: Final = frozenset({"retry"})
VALUE_LENGTH: Final = 253
MOST_PLACES: Final = 2_000  # each is a stream of its own

Said = tuple[tuple[str, str], ...]


class ByRecord:
    """Sorts the lines of a body by what their records say; labels said for all of them win."""

    def __init__(self, *, labels: Mapping[str, str], complaints: Complaints) -> None:
        self._labels = labels
        self._complaints = complaints
        self._places: set[Said] = set()
        self._line = 0

    def pieces(self, *, text: bytes) -> Iterator[Piece]:
        """Yield the lines of a text, each label set's together and in their order."""
        groups: dict[Said, list[bytes]] = {}
        for line in text.split(b"\n"):
            self._line += 1
            groups.setdefault(self._place(line), []).append(line)
        for said, lines in groups.items():
            labels = dict(sorted({**dict(said), **self._labels}.items()))
            yield Piece(labels=labels, text=b"\n".join(lines), line_count=len(lines))

    def _place(self, line: bytes) -> Said:
        said = tuple((k, v) for k, v in _said(line) if k not in self._labels)
        if said in self._places:
            return said
        if len(self._places) >= MOST_PLACES:
            detail = f"records of more than {MOST_PLACES} places; kept without its own labels"
            self._complaints.add(line=self._line, code="too-many-places", detail=detail)
            return ()
        self._places.add(said)
        return said


def _said(line: bytes) -> Said:
    """Return the labels of ours that a record holds, under our names; none of another line."""
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return ()
    if not isinstance(record, dict):
        return ()
    known = {k: v for k, each in record.items() if _is_label(k) and (v := _value(each))}
    named = naming.canonical(labels=known)
    if named.get("rank") and rank_number(named["rank"]) is None:
        del named["rank"]
    return tuple((name, value) for name, value in named.items() if name in NAMES)


def _is_label(name: str) -> bool:
    return name not in PRINTED and naming.is_known(name=name)


def _value(value: Any) -> str:
    """Return a value that may be a label's: a short text or a whole number."""
    if type(value) is int:
        return str(value)
    return value if isinstance(value, str) and len(value) <= VALUE_LENGTH else ""
