"""Requests of version 2.0: labels are references to symbols."""

from itertools import islice, pairwise

from apps.telemetry.formats.columns import LABELS_LIMIT, NAME, BadSeries, Columns, key_of, label
from apps.telemetry.formats.lines.complaints import NothingUsable
from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.remote_write.found_columns import SampleSheet, note_meta
from apps.telemetry.formats.remote_write.limits import (
    SAMPLES_LIMIT,
    SERIES_LIMIT,
    SYMBOLS_LIMIT,
    limited,
)
from apps.telemetry.formats.remote_write.messages import ONLY_IN_V1, messages

# Of one series: a field takes two bytes in the body and a hundred in memory.
SERIES_FIELDS_LIMIT = SAMPLES_LIMIT // 2
CONTINUED = bytes(range(0x80, 0x100))  # all bytes of a number but its last


def read_v2(*, body: bytes) -> Columns:
    """Return the samples of an unpacked io.prometheus.write.v2.Request; raise as `read_v1`."""
    sheet = SampleSheet(body=body)
    symbols: list[bytes] = []
    waiting: list[tuple[int, int]] = []
    try:
        for number, kind, start, stop in messages(body):
            if number in ONLY_IN_V1:
                raise NothingUsable("this is a request of version 1.0; its Content-Type says 2.0")
            if number == 4 and kind == wire.BYTES:
                symbols.append(body[start:stop])
                limited(len(symbols), SYMBOLS_LIMIT, "symbols")
            elif number == 5 and kind == wire.BYTES:
                waiting.append((start, stop))
                limited(len(waiting), SERIES_LIMIT, "series")
        if waiting and (not symbols or symbols[0]):
            raise NothingUsable("the first symbol of a 2.0 request must be empty")
        written: dict[tuple[int, int], bytes] = {}
        for start, stop in waiting:
            _series_v2(sheet, symbols, written, start, stop)
        return sheet.columns()
    except (wire.Malformed, IndexError) as error:
        raise NothingUsable("the body is no io.prometheus.write.v2.Request") from error


def _series_v2(
    sheet: SampleSheet,
    symbols: list[bytes],
    written: dict[tuple[int, int], bytes],
    start: int,
    stop: int,
) -> None:
    body = sheet.body
    found = list(islice(sheet.fields(start, stop), SERIES_FIELDS_LIMIT + 1))
    limited(len(found), SERIES_FIELDS_LIMIT, "fields in one series")
    raw = b"".join(body[begin:end] for number, _, begin, end in found if number == 1)
    row = sheet.read.get(raw)
    if row is None:
        row = sheet.row_of(raw, _label_count(raw), lambda refs: _key_v2(refs, symbols, written))
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


def _label_count(raw: bytes) -> int:
    """Return how many labels references name: two each, of which the last byte is below 0x80."""
    return len(raw.translate(None, CONTINUED)) // 2


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


def _metadata_v2(
    sheet: SampleSheet, symbols: list[bytes], raw: bytes, start: int, stop: int
) -> None:
    body, said = sheet.body, {1: 0, 3: 0, 4: 0}
    for number, kind, begin, _ in sheet.fields(start, stop):
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
    note_meta(sheet, names.get(NAME, b""), said[1], unit, help_text)
