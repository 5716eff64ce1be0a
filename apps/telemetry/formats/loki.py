"""Loki's push format, JSON and protobuf → pieces."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import orjson
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from apps.diagnosis.logs.exceptions import with_exception
from apps.telemetry.formats.compression.limits import JSON_BODY_BYTES, as_utf8, check_json
from apps.telemetry.formats.labels import NAMES_LIMIT
from apps.telemetry.formats.lines import Complaints, LinePiece, NothingUsable, TooBig, is_utf8
from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.protobuf.nesting import check_messages, shape_of
from apps.telemetry.formats.timed_entries import LINES_LIMIT, Entries, in_order, piece_of

# One pair of a label set as Loki prints it, {job="x", host="gpu001"}; quotes are escaped.
PAIR = re.compile(r'\s*([A-Za-z_][A-Za-z0-9_.:]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.ASCII)
ESCAPED = re.compile(r"\\(.)")
FAR_STAMP = 2**63
STREAMS_LIMIT = 5000  # label sets of one push
# As objects and texts a JSON push takes five times its size. Senders batch one or two mebibytes.
JSON_LIMIT_BYTES = 8 * 2**20
FIELDS_LIMIT = 2 * LINES_LIMIT + 100_000  # walked over: each entry of a large stream twice
PART_BYTES = 2**20  # of a stream whose entries are objects at the same time
ENTRY_LIMIT_BYTES = 4 * 2**20
MESSAGES_LIMIT = 2 * LINES_LIMIT  # an entry and its time


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
    return _usable(found, complaints)


def read_protobuf(*, body: bytes, complaints: Complaints) -> list[LinePiece]:
    """Return the pieces of an unpacked protobuf push (logproto.PushRequest)."""
    check_messages(body=body, shape=SHAPE, most=MESSAGES_LIMIT)
    try:
        return _usable(_protobuf_pieces(body, complaints), complaints)
    except (DecodeError, wire.Malformed) as error:
        raise NothingUsable("the body is no logproto.PushRequest") from error


def _usable(found: Iterable[LinePiece | None], complaints: Complaints) -> list[LinePiece]:
    pieces: list[LinePiece] = []
    line_count = 0
    for piece in found:
        if piece is None:
            continue
        pieces.append(piece)
        line_count += piece.line_count
        if len(pieces) > STREAMS_LIMIT:
            raise TooBig(f"the push has more than {STREAMS_LIMIT} streams; send it in parts")
        if line_count > LINES_LIMIT:
            raise TooBig(f"the push has more than {LINES_LIMIT} lines; send it in parts")
    if not pieces and complaints.count:
        raise NothingUsable(complaints.kept[0].detail)
    return pieces


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


def _protobuf_pieces(body: bytes, complaints: Complaints) -> Iterator[LinePiece]:
    stream_count, room = 0, iter(range(FIELDS_LIMIT))
    for number, kind, start, end in _fields(body, 0, len(body), room):
        if number != STREAMS_FIELD or kind != wire.BYTES:
            continue
        stream_count += 1
        if stream_count > STREAMS_LIMIT:
            raise TooBig(f"the push has more than {STREAMS_LIMIT} streams; send it in parts")
        yield from _protobuf_stream(body, start, end, complaints, room)


def _protobuf_stream(
    body: bytes, start: int, end: int, complaints: Complaints, room: Iterator[int]
) -> Sequence[LinePiece]:
    """Return a stream's lines in order, read part by part: as objects they take far more."""
    labels = label_pairs(text=_labels(body, start, end, room))
    pieces = []
    for part in _parts(body, start, end, room):
        entries = _protobuf_entries(STREAM.FromString(part).entries)
        piece = piece_of(labels=labels, entries=entries, complaints=complaints)
        if piece is not None:
            pieces.append(piece)
    return in_order(pieces=pieces)


def _fields(
    body: bytes, start: int, end: int, room: Iterator[int]
) -> Iterator[tuple[int, int, int, int]]:
    for each in wire.fields(body, start, end):
        if next(room, None) is None:
            raise TooBig(f"the push has more than {FIELDS_LIMIT} fields; send it in parts")
        yield each


def _labels(body: bytes, start: int, end: int, room: Iterator[int]) -> str:
    said = b""
    for number, kind, at, stop in _fields(body, start, end, room):
        if number == LABELS_FIELD and kind == wire.BYTES:
            said = body[at:stop]
    try:
        return said.decode()
    except UnicodeDecodeError as error:
        raise NothingUsable("the body is no logproto.PushRequest") from error


def _parts(body: bytes, start: int, end: int, room: Iterator[int]) -> Iterator[bytes]:
    """Yield the fields of a message, about a mebibyte at a time."""
    at = start
    if end - start > PART_BYTES:
        for *_, stop in _fields(body, start, end, room):
            if stop - at >= PART_BYTES:
                yield body[at:stop]
                at = stop
    if at < end:
        yield body[at:end]


def _protobuf_entries(entries: Any) -> Entries:
    lines = [_protobuf_line(entry) for entry in entries]
    # What 64 bits can't hold is cut to what they do: the line is kept, its time is nobody's.
    stamps = np.fromiter(
        (_cut(e.timestamp.seconds * 1_000_000_000 + e.timestamp.nanos) for e in entries),
        np.int64,
        len(entries),
    )
    return Entries(stamps=stamps, lines=lines, text="\n".join(lines))


def _protobuf_line(entry: Any) -> str:
    if len(entry.line) > ENTRY_LIMIT_BYTES:
        raise TooBig(f"an entry has more than {ENTRY_LIMIT_BYTES} bytes; send it line by line")
    line: str = entry.line.decode(errors="replace")
    if not entry.metadata:
        return line
    fields = {
        each.name.decode(errors="replace"): each.value.decode(errors="replace")
        for each in entry.metadata
    }
    return with_exception(line=line, fields=fields)


def _cut(nanoseconds: int) -> int:
    return max(-FAR_STAMP, min(nanoseconds, FAR_STAMP - 1))


def label_pairs(*, text: str) -> dict[str, str]:
    """Return the labels of a printed set; what can't be read ends it."""
    inner, at, pairs = text.strip().removeprefix("{").removesuffix("}"), 0, {}
    # One too many is refused with its lines.
    for _ in range(NAMES_LIMIT + 1):
        match = PAIR.match(inner, at)
        if match is None:
            break
        pairs[match[1]] = ESCAPED.sub(r"\1", match[2])
        at = match.end()
    return pairs


def _push_request() -> Any:
    """Build the message type from the published numbers of logproto's push.proto."""
    file = descriptor_pb2.FileDescriptorProto(
        name="portal/loki_push.proto", package="portal.loki", syntax="proto3"
    )
    kind = descriptor_pb2.FieldDescriptorProto
    messages = {
        "Timestamp": [("seconds", 1, kind.TYPE_INT64, ""), ("nanos", 2, kind.TYPE_INT32, "")],
        # `line` is text in logproto. Read as bytes, so that one bad line doesn't lose the body.
        "Entry": [
            ("timestamp", 1, kind.TYPE_MESSAGE, "Timestamp"),
            ("line", 2, kind.TYPE_BYTES, ""),
            ("metadata", 3, kind.TYPE_MESSAGE, "[]Pair"),
        ],
        "Pair": [("name", 1, kind.TYPE_BYTES, ""), ("value", 2, kind.TYPE_BYTES, "")],
        "Stream": [
            ("labels", 1, kind.TYPE_STRING, ""),
            ("entries", 2, kind.TYPE_MESSAGE, "[]Entry"),
        ],
        "PushRequest": [("streams", 1, kind.TYPE_MESSAGE, "[]Stream")],
    }
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for field, number, type_, of in fields:
            label = kind.LABEL_REPEATED if of.startswith("[]") else kind.LABEL_OPTIONAL
            target = f".portal.loki.{of.removeprefix('[]')}" if of else None
            message.field.add(name=field, number=number, type=type_, label=label, type_name=target)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("portal.loki.PushRequest"))


PUSH_REQUEST = _push_request()
SHAPE = shape_of(message=PUSH_REQUEST)
STREAMS_FIELD, LABELS_FIELD = 1, 1
STREAM: Any = message_factory.GetMessageClass(
    PUSH_REQUEST.DESCRIPTOR.fields_by_name["streams"].message_type
)
