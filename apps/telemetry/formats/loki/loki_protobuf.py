"""Loki's push as protobuf (logproto.PushRequest) → pieces, bounded before objects are made."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from apps.diagnosis.logs.exceptions import with_exception
from apps.telemetry.formats.labels import NAMES_LIMIT
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.formats.loki.stream_pieces import FAR_STAMP, STREAMS_LIMIT, usable
from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.protobuf.nesting import check_messages, shape_of
from apps.telemetry.formats.timed_entries import LINES_LIMIT, Entries, in_order, piece_of

# One pair of a label set as Loki prints it, {job="x", host="gpu001"}; quotes are escaped.
PAIR = re.compile(r'\s*([A-Za-z_][A-Za-z0-9_.:]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)', re.ASCII)
ESCAPED = re.compile(r"\\(.)")
FIELDS_LIMIT = 2 * LINES_LIMIT + 100_000  # walked over: each entry of a large stream twice
PART_BYTES = 2**20  # of a stream whose entries are objects at the same time
ENTRY_LIMIT_BYTES = 4 * 2**20
MESSAGES_LIMIT = 2 * LINES_LIMIT  # an entry and its time


def read_protobuf(*, body: bytes, complaints: Complaints) -> list[LinePiece]:
    """Return the pieces of an unpacked protobuf push (logproto.PushRequest)."""
    check_messages(body=body, shape=SHAPE, most=MESSAGES_LIMIT)
    try:
        return usable(_protobuf_pieces(body, complaints), complaints)
    except (DecodeError, wire.Malformed) as error:
        raise NothingUsable("the body is no logproto.PushRequest") from error


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
