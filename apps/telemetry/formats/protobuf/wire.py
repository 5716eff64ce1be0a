"""Protocol buffers on the wire, field by field: for bodies of very many small messages."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
LONGEST_VARINT = 10
AT_ONCE = 32_768  # numbers: the tables of their bytes stay near the processor


class Malformed(Exception):
    """The bytes are no protocol buffer."""


def varint(body: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at a place, and where it ends; raise Malformed."""
    value = shift = 0
    for place in range(at, min(at + LONGEST_VARINT, len(body))):
        byte = body[place]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place + 1
        shift += 7
    raise Malformed


def encoded_varint(value: int) -> bytes:
    """Return a whole number as it goes over the wire; a negative one takes ten bytes."""
    value &= 2**64 - 1
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def encoded(number: int, payload: bytes) -> bytes:
    """Return a field of bytes, text or a message."""
    return encoded_varint(number << 3 | BYTES) + encoded_varint(len(payload)) + payload


def fields(body: bytes, at: int, stop: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield number, wire type, and the start and end of the payload of each field of a message.

    Of a varint the start is its first byte. Raises Malformed where the bytes make no sense.
    """
    length = len(body)
    while at < stop:
        # Nearly all tags and lengths take one byte.
        tag, start = (body[at], at + 1) if at < length and body[at] < 0x80 else varint(body, at)
        kind = tag & 7
        is_short = start < length and body[start] < 0x80
        if kind == BYTES:
            size, start = (body[start], start + 1) if is_short else varint(body, start)
            end = start + size
        elif kind == VARINT:
            end = start + 1 if is_short else varint(body, start)[1]
        elif kind in {FIXED64, FIXED32}:
            end = start + (8 if kind == FIXED64 else 4)
        else:
            raise Malformed
        if end > stop or not tag >> 3:
            raise Malformed
        yield tag >> 3, kind, start, end
        at = end


def doubles(body: bytes, at: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the numbers whose eight bytes begin at these places; a place below 0 means 0.0.

    Bit patterns are kept: a stale marker is a NaN like no other.
    """
    raw = np.frombuffer(body, np.uint8)
    found = np.zeros((len(at), 8), np.uint8)
    for start in range(0, len(at), AT_ONCE):
        block = at[start : start + AT_ONCE]
        is_there = block >= 0
        found[start : start + AT_ONCE][is_there] = raw[block[is_there][:, None] + np.arange(8)]
    return found.view("<f8")[:, 0].astype(np.float64, copy=False)


def varints(body: bytes, at: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the signed numbers that begin at these places, and where each ends.

    A place below 0 means 0 and ends there; one that never ends comes back with an end of -1.
    """
    raw = np.frombuffer(body + bytes(LONGEST_VARINT), np.uint8)
    values, ends = np.empty(len(at), np.int64), np.empty(len(at), np.int64)
    for start in range(0, len(at), AT_ONCE):
        block = slice(start, start + AT_ONCE)
        values[block], ends[block] = _varints(raw, at[block])
    return values, ends


def _varints(
    raw: NDArray[np.uint8], at: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    found = raw[np.maximum(at, 0)[:, None] + np.arange(LONGEST_VARINT)].astype(np.uint64)
    goes_on = found > 0x7F
    length = np.argmin(goes_on, axis=1) + 1
    is_part = np.arange(LONGEST_VARINT) < length[:, None]
    shifted = (found & np.uint64(0x7F)) << (7 * np.arange(LONGEST_VARINT, dtype=np.uint64))
    values = np.where(is_part, shifted, np.uint64(0)).sum(axis=1, dtype=np.uint64)
    is_there = at >= 0
    ends = np.where(is_there, np.where(goes_on.all(axis=1), -1, at + length), at)
    return np.where(is_there, values, np.uint64(0)).view(np.int64), ends
