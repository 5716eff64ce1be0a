"""Prometheus remote_write 1.0 and 2.0 → columns, and columns → 1.0.

Written after the published numbers of prometheus.WriteRequest and io.prometheus.write.v2.Request.
A reader of its own: through generated messages the same body takes several times as long.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice, pairwise

import numpy as np

from apps.telemetry.formats import wire
from apps.telemetry.formats.columns import (
    KEY_BYTES_LIMIT,
    LABELS_LIMIT,
    NAME,
    BadSeries,
    Columns,
    Meta,
    digest_of,
    key_of,
    label,
    pairs_of,
)
from apps.telemetry.formats.lines import NothingUsable, TooBig

SERIES_LIMIT = 100_000  # of one body; senders send some thousands at most
SAMPLES_LIMIT = 500_000
SYMBOLS_LIMIT = 400_000
METADATA_LIMIT = 20_000
FIELDS_LIMIT = SERIES_LIMIT + SYMBOLS_LIMIT
# Of one series: a field takes two bytes in the body and a hundred in memory.
SERIES_FIELDS_LIMIT = SAMPLES_LIMIT
KINDS = ("", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset")
UNIT_LENGTH, HELP_LENGTH = 24, 300
# The versions share no field on purpose: what is sent as the other one must not pass for empty.
ONLY_IN_V1, ONLY_IN_V2 = frozenset({1, 2, 3}), frozenset({4, 5})
# Keys that were looked at before, by digest: looking is a pure function, forgetting harmless.
KNOWN_LIMIT = 200_000

_FIRST, _SECOND = 1 << 3 | wire.BYTES, 2 << 3 | wire.BYTES
_DOUBLE_TAG = 1 << 3 | wire.FIXED64
_STAMP_TAG = 2 << 3 | wire.VARINT
# A sample as all known senders write it: tag, eight bytes, tag, a stamp of at least one byte.
_STAMP_PLACE = 9
_plain: dict[bytes, None] = {}


def read_v1(*, body: bytes) -> Columns:
    """Return the samples of an unpacked prometheus.WriteRequest; raise NothingUsable, TooBig."""
    sheet = _Sheet(body=body)
    try:
        for number, kind, start, stop in _messages(body):
            if number == 1 and kind == wire.BYTES:
                _series_v1(sheet, start, stop)
            elif number == 3 and kind == wire.BYTES:
                _metadata_v1(sheet, start, stop)
            elif number in ONLY_IN_V2:
                raise NothingUsable("this is a request of version 2.0; its Content-Type says 1.0")
        return sheet.columns()
    except (wire.Malformed, IndexError) as error:
        raise NothingUsable("the body is no prometheus.WriteRequest") from error


def read_v2(*, body: bytes) -> Columns:
    """Return the samples of an unpacked io.prometheus.write.v2.Request; raise as `read_v1`."""
    sheet = _Sheet(body=body)
    symbols: list[bytes] = []
    waiting: list[tuple[int, int]] = []
    try:
        for number, kind, start, stop in _messages(body):
            if number in ONLY_IN_V1:
                raise NothingUsable("this is a request of version 1.0; its Content-Type says 2.0")
            if number == 4 and kind == wire.BYTES:
                symbols.append(body[start:stop])
                _limited(len(symbols), SYMBOLS_LIMIT, "symbols")
            elif number == 5 and kind == wire.BYTES:
                waiting.append((start, stop))
                _limited(len(waiting), SERIES_LIMIT, "series")
        if waiting and (not symbols or symbols[0]):
            raise NothingUsable("the first symbol of a 2.0 request must be empty")
        written: dict[tuple[int, int], bytes] = {}
        for start, stop in waiting:
            _series_v2(sheet, symbols, written, start, stop)
        return sheet.columns()
    except (wire.Malformed, IndexError) as error:
        raise NothingUsable("the body is no io.prometheus.write.v2.Request") from error


def write_v1(*, columns: Columns) -> bytes:
    """Return columns as a prometheus.WriteRequest, not packed."""
    order = np.argsort(columns.series, kind="stable")
    series = columns.series[order]
    edges = np.flatnonzero(np.diff(series, prepend=-1, append=-1))
    bits = columns.values[order].astype("<f8").tobytes()
    stamps = columns.at[order].tolist()
    parts = []
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        samples = [
            wire.encoded(
                2,
                b"\x09" + bits[place * 8 : place * 8 + 8] + b"\x10"
                + wire.encoded_varint(stamps[place]),
            )
            for place in range(first, last)
        ]  # fmt: skip
        parts.append(wire.encoded(1, columns.keys[series[first]] + b"".join(samples)))
    for name, meta in columns.metadata.items():
        parts.append(wire.encoded(3, _written_meta(name, meta)))
    return b"".join(parts)


def _written_meta(name: str, meta: Meta) -> bytes:
    kind = KINDS.index(meta.kind) if meta.kind in KINDS else 0
    return (
        b"\x08" + wire.encoded_varint(kind)
        + wire.encoded(2, name.encode()) + wire.encoded(4, meta.help.encode())
        + wire.encoded(5, meta.unit.encode())
    )  # fmt: skip


@dataclass(slots=True, kw_only=True)
class _Sheet:
    """What is found while a body is read: where samples stand, their bytes are read at the end."""

    body: bytes
    rows: dict[bytes, int] = field(default_factory=dict)  # key → row
    read: dict[bytes, int] = field(default_factory=dict)  # labels as they came → row, -1: refused
    series: list[int] = field(default_factory=list)
    value_at: list[int] = field(default_factory=list)  # -1: the value is 0.0
    stamp_at: list[int] = field(default_factory=list)  # -1: the stamp is 0
    stamp_end: list[int] = field(default_factory=list)
    metadata: dict[str, Meta] = field(default_factory=dict)
    key_bytes: int = 0
    histogram_count: int = 0
    exemplar_count: int = 0
    refused_count: int = 0
    refusal: str = ""

    def row_of(self, raw: bytes, key: Callable[[bytes], bytes]) -> int:
        """Return the row of labels as they came; -1 if they can't be kept."""
        try:
            found = key(raw)
        except BadSeries as error:
            self.refusal = self.refusal or str(error)
            self.read[raw] = -1
            return -1
        row = self.rows.setdefault(found, len(self.rows))
        self.read[raw] = row
        self.key_bytes += len(found)
        _limited(len(self.read), SERIES_LIMIT, "series")
        _limited(self.key_bytes, KEY_BYTES_LIMIT, "bytes of labels")
        return row

    def sample(self, row: int, start: int, stop: int) -> None:
        """Note where a sample of a row stands."""
        # Before anything is noted: a sample may be two bytes long.
        if len(self.series) + self.refused_count >= SAMPLES_LIMIT:
            raise TooBig(f"the body has more than {SAMPLES_LIMIT} samples; send it in parts")
        if row < 0:
            self.refused_count += 1
            return
        body = self.body
        if (
            stop - start > _STAMP_PLACE + 1
            and body[start] == _DOUBLE_TAG
            and body[start + _STAMP_PLACE] == _STAMP_TAG
        ):
            self.value_at.append(start + 1)
            self.stamp_at.append(start + _STAMP_PLACE + 1)
        else:
            self._odd_sample(start, stop)
        self.stamp_end.append(stop)
        self.series.append(row)

    def _odd_sample(self, start: int, stop: int) -> None:
        """Note a sample field by field; encoders leave out a value of zero."""
        value_at, stamp_at = -1, -1
        for number, kind, at, _ in wire.fields(self.body, start, stop):
            if number == 1 and kind == wire.FIXED64:
                value_at = at
            elif number == 2 and kind == wire.VARINT:
                stamp_at = at
        self.value_at.append(value_at)
        self.stamp_at.append(stamp_at)

    def columns(self) -> Columns:
        """Return what was found; the numbers are read here, all at once."""
        stamps, ends = wire.varints(self.body, np.array(self.stamp_at, np.intp))
        if bool((ends > np.array(self.stamp_end, np.intp)).any()) or bool(
            ((ends < 0) & (np.array(self.stamp_at, np.intp) >= 0)).any()
        ):
            raise wire.Malformed
        return Columns(
            keys=tuple(self.rows),
            series=np.array(self.series, np.intp),
            at=stamps,
            values=wire.doubles(self.body, np.array(self.value_at, np.intp)),
            metadata=self.metadata,
            histogram_count=self.histogram_count,
            exemplar_count=self.exemplar_count,
            refused_count=self.refused_count,
            refusal=self.refusal,
        )


def _messages(body: bytes) -> list[tuple[int, int, int, int]]:
    """Return the fields of the outermost message, quickly where they are short messages."""
    found = []
    at, end = 0, len(body)
    while at < end:
        tag, size, start = body[at], body[at + 1], at + 2
        if size > 0x7F and body[start] < 0x80:  # two bytes: nearly every series
            size, start = size & 0x7F | body[start] << 7, start + 1
        if tag & 0x87 != wire.BYTES or (size > 0x7F and body[start - 1] > 0x7F):
            number, kind, start, stop = next(wire.fields(body, at, end))
        else:
            number, kind, stop = tag >> 3, wire.BYTES, start + size
            if stop > end or not number:
                raise wire.Malformed
        found.append((number, kind, start, stop))
        if len(found) > FIELDS_LIMIT:
            raise TooBig(f"the body has more than {FIELDS_LIMIT} fields; send it in parts")
        at = stop
    return found


def _series_v1(sheet: _Sheet, start: int, stop: int) -> None:
    body, at = sheet.body, start
    while at < stop and body[at] == _FIRST:
        size = body[at + 1]
        if size > 0x7F:
            size, begin = wire.varint(body, at + 1)
            at = begin + size
        else:
            at += size + 2
    if at > stop:
        raise wire.Malformed
    raw = body[start:at]
    row = sheet.read.get(raw)
    if row is None:
        row = sheet.row_of(raw, _key_v1)
    while at < stop and body[at] == _SECOND and body[at + 1] < 0x80:
        begin = at + 2
        at = begin + body[at + 1]
        sheet.sample(row, begin, at)
    if at == stop:
        return
    if at > stop:
        raise wire.Malformed
    _rest_v1(sheet, row, at, stop)


def _rest_v1(sheet: _Sheet, row: int, at: int, stop: int) -> None:
    """Note what else a series has, field by field."""
    for number, kind, begin, end in wire.fields(sheet.body, at, stop):
        if kind != wire.BYTES:
            continue
        if number == 1:
            raise wire.Malformed  # labels go before samples, in every sender there is
        if number == 2:
            sheet.sample(row, begin, end)
        elif number == 3:
            sheet.exemplar_count += 1
        elif number == 4:
            sheet.histogram_count += 1


def _key_v1(raw: bytes) -> bytes:
    """Return the key of labels of a 1.0 request: the same bytes where they are in order."""
    digest = digest_of(raw)
    if digest in _plain:
        return raw
    key = key_of(pairs_of(raw))
    if key == raw:
        if len(_plain) >= KNOWN_LIMIT:
            _plain.clear()
        _plain[digest] = None
    return key


def _metadata_v1(sheet: _Sheet, start: int, stop: int) -> None:
    body, texts, kind_number = sheet.body, {2: b"", 4: b"", 5: b""}, 0
    for number, kind, begin, end in wire.fields(body, start, stop):
        if number == 1 and kind == wire.VARINT:
            kind_number, _ = wire.varint(body, begin)
        elif number in texts and kind == wire.BYTES:
            texts[number] = body[begin:end]
    _note_meta(sheet, texts[2], kind_number, texts[5], texts[4])


def _note_meta(sheet: _Sheet, name: bytes, kind: int, unit: bytes, help_text: bytes) -> None:
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


def _series_v2(
    sheet: _Sheet,
    symbols: list[bytes],
    written: dict[tuple[int, int], bytes],
    start: int,
    stop: int,
) -> None:
    body = sheet.body
    found = list(islice(wire.fields(body, start, stop), SERIES_FIELDS_LIMIT + 1))
    _limited(len(found), SERIES_FIELDS_LIMIT, "fields in one series")
    raw = b"".join(body[begin:end] for number, _, begin, end in found if number == 1)
    row = sheet.read.get(raw)
    if row is None:
        row = sheet.row_of(raw, lambda refs: _key_v2(refs, symbols, written))
    for number, kind, begin, end in found:
        if kind != wire.BYTES:
            continue
        if number == 2:
            sheet.sample(row, begin, end)
        elif number == 3:
            sheet.histogram_count += 1
        elif number == 4:
            sheet.exemplar_count += 1
    # Of a field that is no list the last one counts.
    told = [each for each in found if each[:2] == (5, wire.BYTES)][-1:]
    for _, _, begin, end in told:
        _metadata_v2(sheet, symbols, raw, begin, end)


def _refs(raw: bytes) -> list[int]:
    refs, at = [], 0
    while at < len(raw):
        ref, at = wire.varint(raw, at)
        refs.append(ref)
        if len(refs) > 2 * LABELS_LIMIT:
            raise BadSeries(f"a series has more than {LABELS_LIMIT} labels")
    return refs


def _key_v2(raw: bytes, symbols: list[bytes], written: dict[tuple[int, int], bytes]) -> bytes:
    """Return the key of references; each pair of symbols is looked at and encoded once."""
    refs = _refs(raw)
    if len(refs) % 2 or max(refs, default=0) >= len(symbols):
        raise BadSeries("the references of a series lead nowhere")
    pairs = list(zip(refs[::2], refs[1::2], strict=True))
    named = [symbols[name] for name, _ in pairs]
    is_known = all(pair in written for pair in pairs)
    if is_known and NAME in named and all(a < b for a, b in pairwise(named)):
        return b"".join([written[pair] for pair in pairs])
    key = key_of([(symbols[name], symbols[value]) for name, value in pairs])
    for name, value in pairs:
        if symbols[value]:
            written[name, value] = label(symbols[name], symbols[value])
    return key


def _metadata_v2(sheet: _Sheet, symbols: list[bytes], raw: bytes, start: int, stop: int) -> None:
    body, said = sheet.body, {1: 0, 3: 0, 4: 0}
    for number, kind, begin, _ in wire.fields(body, start, stop):
        if number in said and kind == wire.VARINT:
            said[number], _ = wire.varint(body, begin)
    if not any(said.values()):
        return
    try:
        refs = _refs(raw)
        names = {
            symbols[name]: symbols[value] for name, value in zip(refs[::2], refs[1::2], strict=True)
        }
        unit, help_text = symbols[said[4]], symbols[said[3]]
    except (IndexError, ValueError, BadSeries):
        return
    _note_meta(sheet, names.get(NAME, b""), said[1], unit, help_text)


def _limited(count: int, limit: int, what: str) -> None:
    if count > limit:
        raise TooBig(f"the body has more than {limit} {what}; send it in parts")
