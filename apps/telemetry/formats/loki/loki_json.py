"""Loki's push as JSON → pieces."""

from typing import Any

import numpy as np
import orjson

from apps.diagnosis.logs.exceptions import with_exception
from apps.telemetry.formats.compression.limits import JSON_BODY_BYTES, as_utf8, check_json
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig
from apps.telemetry.formats.lines.line_blocks import LinePiece, is_utf8
from apps.telemetry.formats.loki.stream_pieces import FAR_STAMP, usable
from apps.telemetry.formats.timed_entries import Entries, piece_of

# As objects and texts a JSON push takes five times its size. Senders batch one or two mebibytes.
JSON_LIMIT_BYTES = 8 * 2**20


def read_json(*, body: bytes, complaints: Complaints) -> list[LinePiece]:
    """Return the pieces of a JSON push; entries that are no entries are reported and left out."""
    if len(body) > JSON_LIMIT_BYTES:
        raise TooBig(f"a push as JSON may have {JSON_LIMIT_BYTES} bytes; send smaller batches")
    if not is_utf8(text=body):
        body = as_utf8(body=body, most=JSON_BODY_BYTES)
    check_json(body=body)
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise NothingUsable(f"the body is no JSON: {error}") from error
    streams = document.get("streams") if isinstance(document, dict) else None
    if not isinstance(streams, list):
        raise NothingUsable('the body must be {"streams": [{"stream": {…}, "values": [[…]]}]}')
    found = (_json_stream(each, complaints) for each in _gathered(streams))
    return usable(found, complaints)


def _gathered(streams: list[Any]) -> list[Any]:
    """Return streams with equal labels as one: Fluent Bit sends each line as a stream of its own.

    What is no stream stays as it is, to be complained of.
    """
    gathered: dict[object, Any] = {}
    for place, stream in enumerate(streams):
        key = _label_set(stream)
        if key is None:
            gathered[place] = stream
        elif key in gathered:
            gathered[key]["values"] += stream["values"]
        else:
            gathered[key] = stream
    return list(gathered.values())


def _label_set(stream: Any) -> tuple[tuple[str, str], ...] | None:
    labels = stream.get("stream") if isinstance(stream, dict) else None
    if not isinstance(labels, dict) or not isinstance(stream.get("values"), list):
        return None
    return tuple(sorted((name, str(value)) for name, value in labels.items()))


def _json_stream(stream: Any, complaints: Complaints) -> LinePiece | None:
    try:
        labels = {str(k): str(v) for k, v in stream["stream"].items()}
        values = stream["values"]
        stamps = np.fromiter((int(value[0]) for value in values), np.int64, len(values))
        lines = [_line(value) for value in values]
        text = "\n".join(lines)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return _json_stream_by_entry(stream, complaints)
    entries = Entries(stamps=stamps, lines=lines, text=text)
    return piece_of(labels=labels, entries=entries, complaints=complaints)


def _json_stream_by_entry(stream: Any, complaints: Complaints) -> LinePiece | None:
    """Look at each entry of a stream that is not well formed as a whole."""
    values = stream.get("values") if isinstance(stream, dict) else None
    labels = stream.get("stream") if isinstance(stream, dict) else None
    if not isinstance(values, list) or not isinstance(labels, dict):
        complaints.add(line=0, code="bad_stream", detail="a stream needs `stream` and `values`")
        return None
    stamps, lines = [], []
    for number, value in enumerate(values, start=1):
        if _is_entry(value):
            stamps.append(int(value[0]))
            lines.append(_line(value))
        else:
            complaints.add(line=number, code="bad_entry", detail='an entry is ["<ns>", "<line>"]')
    named = {str(k): str(v) for k, v in labels.items()}
    entries = Entries(stamps=np.array(stamps, np.int64), lines=lines, text="\n".join(lines))
    return piece_of(labels=named, entries=entries, complaints=complaints)


def _line(value: list[Any]) -> str:
    """Return the line of an entry, with the exception that its structured metadata carry."""
    line: str = value[1]
    if len(value) < 3 or not isinstance(value[2], dict):
        return line
    return with_exception(line=line, fields=value[2])


def _is_entry(value: Any) -> bool:
    if not isinstance(value, list) or len(value) < 2 or not isinstance(value[1], str):
        return False
    try:
        return abs(int(value[0])) < FAR_STAMP
    except (TypeError, ValueError):
        return False
