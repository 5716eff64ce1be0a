"""The outermost message of a request, and which of its fields belong to which version."""

from apps.telemetry.formats.lines.complaints import TooBig
from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.remote_write.limits import FIELDS_LIMIT

# The versions share no field on purpose: what is sent as the other one must not pass for empty.
ONLY_IN_V1, ONLY_IN_V2 = frozenset({1, 2, 3}), frozenset({4, 5})


def messages(body: bytes) -> list[tuple[int, int, int, int]]:
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
