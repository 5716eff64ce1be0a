"""Columns that points of OpenTelemetry are gathered in, within the limits of a push."""

from dataclasses import dataclass, field
from typing import Final

from apps.telemetry.formats import columns as naming
from apps.telemetry.formats.columns import (
    KEY_BYTES_LIMIT,
    LABELS_LIMIT,
    BadSeries,
    Meta,
)
from apps.telemetry.formats.lines.complaints import TooBig

POINTS_LIMIT: Final = 100_000  # of one body: a Collector batches 8,192 of them
# Of all points together: those of a resource are said again of each of its points.
ALL_LABELS_LIMIT: Final = 600_000
MOST_WRITTEN: Final = 20_000  # labels that are known as they are encoded
Labels = dict[str, str]


@dataclass(slots=True, kw_only=True)
class Sheet:
    """Rows gathered as columns."""

    rows: dict[bytes, int] = field(default_factory=dict)
    series: list[int] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    deltas: set[int] = field(default_factory=set)
    metadata: dict[str, Meta] = field(default_factory=dict)
    key_bytes: int = 0
    label_count: int = 0
    written: dict[tuple[str, str], bytes] = field(default_factory=dict)  # labels → as in a key
    exemplar_count: int = 0
    refused_count: int = 0
    refusal: str = ""

    def add(self, *, labels: Labels, nanoseconds: int, value: float, is_delta: bool) -> None:
        """Note a sample."""
        if len(self.series) + self.refused_count >= POINTS_LIMIT:
            raise TooBig(f"the body has more than {POINTS_LIMIT} values; send it in parts")
        self.label_count += len(labels)
        if self.label_count > ALL_LABELS_LIMIT:
            raise TooBig(f"its points have more than {ALL_LABELS_LIMIT} labels; send it in parts")
        try:
            key = self._key_of(labels)
        except (BadSeries, UnicodeEncodeError) as error:
            self.refuse(str(error))
            return
        row = self._row_of(key)
        if is_delta:
            self.deltas.add(row)
        self.series.append(row)
        self.at.append(nanoseconds // 1_000_000)
        self.values.append(value)

    def _key_of(self, labels: Labels) -> bytes:
        """Return the key of labels; points share most of theirs, which are encoded once."""
        written = self.written
        try:  # none of these is empty, and each has its name once
            if labels["__name__"] and len(labels) <= LABELS_LIMIT:
                return b"".join([written[pair] for pair in sorted(labels.items())])
        except KeyError:
            pass
        pairs = {(n, v): (n.encode(), v.encode()) for n, v in labels.items()}
        key = naming.key_of(pairs.values())
        if len(written) < MOST_WRITTEN:
            written.update((pair, naming.label(*said)) for pair, said in pairs.items() if said[1])
        return key

    def _row_of(self, key: bytes) -> int:
        """Return the row of a series; what a resource says once is in the key of each of its."""
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = len(self.rows)
            self.key_bytes += len(key)
            if self.key_bytes > KEY_BYTES_LIMIT:
                raise TooBig("the labels unfold to too much; send smaller batches")
        return row

    def refuse(self, why: str) -> None:
        """Note a point that can't be kept."""
        self.refused_count += 1
        self.refusal = self.refusal or why
