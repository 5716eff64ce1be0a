"""Records of JSON, one a line, that say themselves where they belong → pieces by their labels."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from apps.diagnosis.input_values import rank_number
from apps.diagnosis.json_weight import has_more_values
from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.lines.complaints import Complaints, TooBig
from apps.telemetry.formats.lines.line_blocks import LinePiece

# The cluster decides who may write, so it is named before the records are read. Programs print
# `retry` and `filename` with other meanings than agents.
NAMES: Final = frozenset({"session", "attempt", "host", "rank", "stream", "tz"})
PRINTED: Final = frozenset({"retry"})
VALUE_LENGTH: Final = 253
MOST_PLACES: Final = 2_000  # each is a stream of its own
MOST_SPELLINGS: Final = 4 * MOST_PLACES
MOST_RECORDS: Final = 250_000  # of one body: each is read for itself; agents batch thousands
MOST_VALUES: Final = 4_096  # of a record that is looked into

Said = tuple[tuple[str, str], ...]


class ByRecord:
    """Sorts the lines of a body by what their records say; labels said for all of them win."""

    def __init__(self, *, labels: Mapping[str, str], complaints: Complaints) -> None:
        self._labels = labels
        self._complaints = complaints
        self._places: set[Said] = set()
        self._known: dict[Said, Said] = {}  # labels as records have them → as we do
        self._line = 0

    def pieces(self, *, text: bytes) -> Iterator[LinePiece]:
        """Yield the lines of a text, each label set's together and in their order."""
        groups: dict[Said, list[bytes]] = {}
        for line in text.split(b"\n"):
            self._line += 1
            if self._line > MOST_RECORDS:
                raise TooBig(f"the body has more than {MOST_RECORDS} records; send it in parts")
            groups.setdefault(self._place(line), []).append(line)
        for said, lines in groups.items():
            labels = dict(sorted({**dict(said), **self._labels}.items()))
            yield LinePiece(labels=labels, text=b"\n".join(lines), line_count=len(lines))

    def _place(self, line: bytes) -> Said:
        labels = _labels(line)
        if not labels:
            return ()
        said = self._known.get(labels)
        if said is None and len(self._known) < MOST_SPELLINGS:
            said = tuple((k, v) for k, v in _said(labels) if k not in self._labels)
            self._known[labels] = said
        if said is not None and (said in self._places or len(self._places) < MOST_PLACES):
            self._places.add(said)
            return said
        detail = f"records of more than {MOST_PLACES} places; kept without its own labels"
        self._complaints.add(line=self._line, code="too_many_places", detail=detail)
        return ()


def _labels(line: bytes) -> Said:
    """Return the labels that a record holds, as it spells them; none of another line."""
    if has_more_values(text=line, most=MOST_VALUES):
        return ()
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return ()
    if not isinstance(record, dict):
        return ()
    return tuple((k, v) for k, each in record.items() if _is_label(k) and (v := _value(each)))


def _said(labels: Said) -> Said:
    """Return labels under our names."""
    named = naming.canonical(labels=dict(labels))
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
