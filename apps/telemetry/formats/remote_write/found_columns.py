"""What is found while a request is read."""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from apps.telemetry.formats.columns import KEY_BYTES_LIMIT, BadSeries, Columns, Meta
from apps.telemetry.formats.lines.complaints import TooBig
from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.remote_write.limits import (
    ALL_LABELS_LIMIT,
    SAMPLES_LIMIT,
    SERIES_LIMIT,
    SLOW_FIELDS_LIMIT,
    limited,
)

METADATA_LIMIT = 20_000
KINDS = ("", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset")
UNIT_LENGTH, HELP_LENGTH = 24, 300
_DOUBLE_TAG = 1 << 3 | wire.FIXED64
_STAMP_TAG = 2 << 3 | wire.VARINT
# A sample as all known senders write it: tag, eight bytes, tag, a stamp of at least one byte.
_STAMP_PLACE = 9
_LONG = 0x80  # a length that takes more than a byte


Numbers: TypeAlias = "array[int]"  # eight bytes each, where a list takes forty
Places: TypeAlias = NDArray[np.int64]


def _numbers() -> Numbers:
    return array("q")


def _whole(numbers: Numbers) -> Places:
    return np.frombuffer(numbers, np.int64) if numbers else np.empty(0, np.int64)


@dataclass(slots=True, kw_only=True)
class SampleSheet:
    """What is found while a body is read: where samples stand, their bytes are read at the end."""

    body: bytes
    rows: dict[bytes, int] = field(default_factory=dict)  # key → row
    read: dict[bytes, int] = field(default_factory=dict)  # labels as they came → row, -1: refused
    series: Numbers = field(default_factory=_numbers)
    starts: Numbers = field(default_factory=_numbers)  # of samples
    stops: Numbers = field(default_factory=_numbers)
    metadata: dict[str, Meta] = field(default_factory=dict)
    key_bytes: int = 0
    label_count: int = 0
    histogram_count: int = 0
    exemplar_count: int = 0
    refused_count: int = 0
    refusal: str = ""
    slow_count: int = 0

    def fields(self, start: int, stop: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield the fields of a message one by one; raise TooBig where a body has too many."""
        for found in wire.fields(self.body, start, stop):
            self.slow_count += 1
            limited(self.slow_count, SLOW_FIELDS_LIMIT, "fields")
            yield found

    def row_of(self, raw: bytes, label_count: int, key: Callable[[bytes], bytes]) -> int:
        """Return the row of labels as they came; -1 if they can't be kept."""
        self.label_count += label_count
        limited(self.label_count, ALL_LABELS_LIMIT, "labels")
        try:
            found = key(raw)
        except BadSeries as error:
            self.refusal = self.refusal or str(error)
            self.read[raw] = -1
            return -1
        row = self.rows.setdefault(found, len(self.rows))
        self.read[raw] = row
        self.key_bytes += len(found)
        limited(len(self.read), SERIES_LIMIT, "series")
        limited(self.key_bytes, KEY_BYTES_LIMIT, "bytes of labels")
        return row

    def samples(self, row: int, at: int, stop: int) -> int:
        """Note the samples of a row, each behind its length; return where they end.

        Those of one series are nearly always of one length: then they are looked at all at once.
        """
        body, width = self.body, self.body[at + 1] + 2
        count, rest = divmod(stop - at, width)
        if (
            not rest
            and body[at + 1] < _LONG
            and body[at:stop:width] == body[at : at + 1] * count
            and body[at + 1 : stop : width] == body[at + 1 : at + 2] * count
        ):
            if self._take(row, count):
                self.starts.extend(range(at + 2, stop + 1, width))
                self.stops.extend(range(at + width, stop + 1, width))
            return stop
        tag = body[at]
        while at < stop and body[at] == tag and body[at + 1] < _LONG:
            begin = at + 2
            at = begin + body[at + 1]
            self.sample(row, begin, at)
        return at

    def sample(self, row: int, start: int, stop: int) -> None:
        """Note where a sample of a row stands."""
        if self._take(row, 1):
            self.starts.append(start)
            self.stops.append(stop)

    def _take(self, row: int, count: int) -> bool:
        """Say whether samples are kept; raise TooBig before anything is noted."""
        if len(self.series) + self.refused_count + count > SAMPLES_LIMIT:
            raise TooBig(f"the body has more than {SAMPLES_LIMIT} samples; send it in parts")
        if row < 0:
            self.refused_count += count
            return False
        self.series.extend([row] * count)
        return True

    def _places(self) -> tuple[Places, Places, Places]:
        """Return where values and stamps stand (-1: they are 0), and where each sample ends."""
        starts, stops = _whole(self.starts), _whole(self.stops)
        raw = np.frombuffer(self.body, np.uint8)
        is_long = stops - starts > _STAMP_PLACE + 1
        is_usual = np.zeros(len(starts), np.bool_)
        long = starts[is_long]
        is_usual[is_long] = (raw[long] == _DOUBLE_TAG) & (raw[long + _STAMP_PLACE] == _STAMP_TAG)
        value_at, stamp_at = starts + 1, starts + _STAMP_PLACE + 1
        for place in np.flatnonzero(~is_usual).tolist():
            value_at[place], stamp_at[place] = self._odd_sample(
                int(starts[place]), int(stops[place])
            )
        return value_at, stamp_at, stops

    def _odd_sample(self, start: int, stop: int) -> tuple[int, int]:
        """Look at a sample field by field; encoders leave out a value of zero."""
        value_at, stamp_at = -1, -1
        for number, kind, at, _ in self.fields(start, stop):
            if number == 1 and kind == wire.FIXED64:
                value_at = at
            elif number == 2 and kind == wire.VARINT:
                stamp_at = at
        return value_at, stamp_at

    def columns(self) -> Columns:
        """Return what was found; the numbers are read here, all at once."""
        series = _whole(self.series)
        value_at, stamp_at, stamp_end = self._places()
        stamps, ends = wire.varints(self.body, stamp_at)
        if bool((ends > stamp_end).any()) or bool(((ends < 0) & (stamp_at >= 0)).any()):
            raise wire.Malformed
        return Columns(
            keys=tuple(self.rows),
            series=series,
            at=stamps,
            values=wire.doubles(self.body, value_at),
            metadata=self.metadata,
            histogram_count=self.histogram_count,
            exemplar_count=self.exemplar_count,
            refused_count=self.refused_count,
            refusal=self.refusal,
        )


def note_meta(sheet: SampleSheet, name: bytes, kind: int, unit: bytes, help_text: bytes) -> None:
    if not name or len(sheet.metadata) >= METADATA_LIMIT:
        return
    said = Meta(
        kind=KINDS[kind] if kind < len(KINDS) else "",
        unit=_text(unit)[:UNIT_LENGTH],
        help=_text(help_text)[:HELP_LENGTH],
    )
    if said != Meta():
        sheet.metadata[_text(name)] = said


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace").replace("\0", "\ufffd")
