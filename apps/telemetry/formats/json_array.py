"""A JSON array of records, as HTTP outputs of log agents send it → one line a record.

What the fields of a record mean is read with the line, as of any other line of JSON.
"""

from collections.abc import Iterable, Iterator

import orjson

from apps.telemetry.formats.coding import STEP_BYTES
from apps.telemetry.formats.limits import as_utf8, check_json
from apps.telemetry.formats.lines import is_utf8

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
    try:
        records = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(records, list) or not all(isinstance(each, dict) for each in records):
        return None
    # One at a time, each let go once it is written: as objects they take three times as much.
    lines = bytearray()
    records.reverse()
    while records:
        lines += orjson.dumps(records.pop())
        lines += b"\n"
    del lines[-1:]
    return lines
