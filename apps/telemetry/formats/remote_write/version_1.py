"""Requests of version 1.0."""

from apps.telemetry.formats.columns import (
    Columns,
    digest_of,
    key_of,
    key_of_usual,
    pairs_of,
)
from apps.telemetry.formats.lines.complaints import NothingUsable
from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.remote_write.found_columns import SampleSheet, note_meta
from apps.telemetry.formats.remote_write.messages import ONLY_IN_V2, messages

# Keys that were looked at before, by digest: looking is a pure function, forgetting harmless.
KNOWN_LIMIT = 200_000
SHORT = 100  # what is no longer is looked at sooner than found among them
_FIRST, _SECOND = 1 << 3 | wire.BYTES, 2 << 3 | wire.BYTES
_plain: dict[bytes, None] = {}


def read_v1(*, body: bytes) -> Columns:
    """Return the samples of an unpacked prometheus.WriteRequest; raise NothingUsable, TooBig."""
    sheet = SampleSheet(body=body)
    try:
        for number, kind, start, stop in messages(body):
            if number == 1 and kind == wire.BYTES:
                _series_v1(sheet, start, stop)
            elif number == 3 and kind == wire.BYTES:
                _metadata_v1(sheet, start, stop)
            elif number in ONLY_IN_V2:
                raise NothingUsable("this is a request of version 2.0; its Content-Type says 1.0")
        return sheet.columns()
    except (wire.Malformed, IndexError) as error:
        raise NothingUsable("the body is no prometheus.WriteRequest") from error


def _series_v1(sheet: SampleSheet, start: int, stop: int) -> None:
    body, at, label_count = sheet.body, start, 0
    while at < stop and body[at] == _FIRST:
        label_count += 1
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
        row = sheet.row_of(raw, label_count, _key_v1)
    if at < stop and body[at] == _SECOND:
        at = sheet.samples(row, at, stop)
    if at == stop:
        return
    if at > stop:
        raise wire.Malformed
    _rest_v1(sheet, row, at, stop)


def _rest_v1(sheet: SampleSheet, row: int, at: int, stop: int) -> None:
    """Note what else a series has, field by field."""
    for number, kind, begin, end in sheet.fields(at, stop):
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
    if len(raw) < SHORT and (key := key_of_usual(raw)):
        return key
    digest = digest_of(raw)
    if digest in _plain:
        return raw
    key = key_of_usual(raw) or key_of(pairs_of(raw))
    if key == raw:
        if len(_plain) >= KNOWN_LIMIT:
            _plain.clear()
        _plain[digest] = None
    return key


def _metadata_v1(sheet: SampleSheet, start: int, stop: int) -> None:
    body, texts, kind_number = sheet.body, {2: b"", 4: b"", 5: b""}, 0
    for number, kind, begin, end in sheet.fields(start, stop):
        if number == 1 and kind == wire.VARINT:
            kind_number, _ = wire.varint(body, begin)
        elif number in texts and kind == wire.BYTES:
            texts[number] = body[begin:end]
    note_meta(sheet, texts[2], kind_number, texts[5], texts[4])
