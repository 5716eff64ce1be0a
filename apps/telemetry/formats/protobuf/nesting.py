"""How many messages a protocol buffer holds, counted on the wire before objects are made of them.

An empty message takes two bytes there and seventy as an object.
"""

from typing import Any, Final

from apps.telemetry.formats.lines.complaints import TooBig
from apps.telemetry.formats.protobuf import wire

DEPTH_LIMIT: Final = 100  # of the parser itself
FIELDS_A_MESSAGE: Final = 4  # in a body of its limit; one of fewer messages may have more of each

GROUPS: Final = frozenset({3, 4})

Shape = dict[int, Any]  # number of a field that holds messages → their shape


class _Enough(Exception):
    """There is more than may be."""


def shape_of(*, message: Any) -> Shape:
    """Return where a kind of message holds others."""
    return _shape(message.DESCRIPTOR, {})


def check_messages(*, body: bytes, shape: Shape, most: int) -> None:
    """Raise TooBig for a body of more than `most` messages, or of far more fields."""
    if sum(map(body.count, _tags(shape))) <= most:
        return  # a bound from above: text may hold these bytes, too
    try:
        _Count(body=body, most=most).inside(shape, 0, len(body), 0)
    except _Enough:
        raise TooBig(f"the body has more than {most} messages; send it in parts") from None
    except (IndexError, wire.Malformed):
        return  # the parser says what is wrong with it


class _Count:
    def __init__(self, *, body: bytes, most: int) -> None:
        self._body = body
        self._messages = most
        self._fields = FIELDS_A_MESSAGE * most

    def inside(self, shape: Shape, at: int, stop: int, depth: int) -> None:
        """Count what stands between two places; raise _Enough, IndexError or Malformed."""
        body = self._body
        while at < stop:
            self._fields -= 1
            if self._fields < 0:
                raise _Enough
            tag, at = _number(body, at)
            kind = tag & 7
            if kind != wire.BYTES:
                at = _behind(body, at, kind)
                continue
            size, at = _number(body, at)
            inner = shape.get(tag >> 3)
            if inner is not None:
                self._note(depth)
            if inner and size > 1:
                self.inside(inner, at, at + size, depth + 1)
            at += size

    def _note(self, depth: int) -> None:
        self._messages -= 1
        if self._messages < 0 or depth > DEPTH_LIMIT:
            raise _Enough


def _number(body: bytes, at: int) -> tuple[int, int]:
    """Return a number and where it ends; nearly all of them take one byte."""
    value = body[at]
    return (value, at + 1) if value < 0x80 else wire.varint(body, at)


def _behind(body: bytes, at: int, kind: int) -> int:
    """Return where a number ends."""
    if kind == wire.VARINT:
        while body[at] > 0x7F:
            at += 1
        return at + 1
    if kind in {wire.FIXED64, wire.FIXED32}:
        return at + (8 if kind == wire.FIXED64 else 4)
    if kind in GROUPS:
        return at  # what stands in it is counted as if it stood here
    raise wire.Malformed


def _shape(descriptor: Any, known: dict[str, Shape]) -> Shape:
    if descriptor.full_name in known:
        return known[descriptor.full_name]
    shape = known[descriptor.full_name] = {}
    for field in descriptor.fields:
        if field.message_type is not None:
            shape[field.number] = _shape(field.message_type, known)
    return shape


def _tags(shape: Shape) -> set[bytes]:
    """Return the bytes that begin a nested message anywhere below."""
    waiting, known, tags = [shape], {id(shape)}, set()
    while waiting:
        for number, inner in waiting.pop().items():
            tag = number << 3 | wire.BYTES
            tags |= {
                bytes([tag]),
                bytes([tag | 0x80]),
            }  # a number may be written longer than needed
            if id(inner) not in known:
                known.add(id(inner))
                waiting.append(inner)
    return tags
