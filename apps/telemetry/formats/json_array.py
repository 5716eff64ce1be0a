"""A JSON array of records, as HTTP outputs of log agents send it → one line a record.

What the fields of a record mean is read with the line, as of any other line of JSON.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from apps.diagnosis.json_weight import cuts_of_array
from apps.telemetry.formats.compression.coding import STEP_BYTES
from apps.telemetry.formats.compression.limits import as_utf8, check_json
from apps.telemetry.formats.lines.line_blocks import is_utf8

# Agents send a few mebibytes at a time. A larger array is kept as the line that it is.
LIMIT_BYTES = 16 * 2**20


def lines_of_array(*, source: Iterable[bytes]) -> Iterator[bytes]:
    """Yield an array as lines of its records; anything else as it is. Raises TooBig."""
    stream = iter(source)
    begun = [next(stream, b"")]
    size = len(begun[0])
    if not begun[0].lstrip().startswith(b"["):
        yield from begun
        yield from stream
        return
    while size <= LIMIT_BYTES and (data := next(stream, b"")):
        begun.append(data)
        size += len(data)
    text = b"".join(begun)
    begun.clear()
    lines = _lines(text) if size <= LIMIT_BYTES else None
    whole = text if lines is None else lines
    del text, lines
    yield from (bytes(whole[at : at + STEP_BYTES]) for at in range(0, len(whole), STEP_BYTES))
    yield from stream


def _lines(text: bytes) -> bytearray | None:
    """Return the records of an array; None where it is none of objects alone."""
    if not is_utf8(text=text):
        text = as_utf8(body=text, most=2 * LIMIT_BYTES)
    check_json(body=text)
    text = text.strip()
    if not text.endswith(b"]"):
        return None
    # Part by part: as objects all records take three times as much as their letters.
    lines, start = bytearray(), 1
    for end in (*cuts_of_array(text=text), len(text) - 1):
        records = _records(text[start:end])
        if records is None or not (records or end - start == len(text) - 2):
            return None  # other values, or a comma too many
        for record in records:
            lines += orjson.dumps(record)
            lines += b"\n"
        start = end + 1
    del lines[-1:]
    return lines


def _records(part: bytes) -> list[Any] | None:
    """Return the objects of a part of an array; None where there is anything else."""
    try:
        records: list[Any] = orjson.loads(b"[%b]" % part)
    except orjson.JSONDecodeError:
        return None
    return records if all(isinstance(each, dict) for each in records) else None
