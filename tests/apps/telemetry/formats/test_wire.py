"""Protocol buffers on the wire at the edges of a byte, of a number and of a body."""

import struct

import numpy as np
import pytest

from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.protobuf.wire import Malformed

NUMBERS = (0, 1, 127, 128, 300, 2**14 - 1, 2**14, 2**32, 2**63 - 1, 2**64 - 1)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_read_as_it_was_written(number: int) -> None:
    raw = wire.encoded_varint(number)
    assert wire.varint(b"x" + raw + b"y", 1) == (number, 1 + len(raw))
    assert len(raw) == max(1, -(-number.bit_length() // 7))


def test_a_negative_number_takes_ten_bytes() -> None:
    assert len(wire.encoded_varint(-1)) == wire.LONGEST_VARINT
    values, _ = wire.varints(wire.encoded_varint(-1), np.array([0]))
    assert values.tolist() == [-1]


@pytest.mark.parametrize("raw", [b"", b"\x80", b"\x80" * 10, b"\x80" * 11 + b"\x01"])
def test_a_number_that_never_ends_is_malformed(raw: bytes) -> None:
    with pytest.raises(Malformed):
        wire.varint(raw, 0)


def test_many_numbers_are_read_at_once_and_a_place_below_zero_is_nothing() -> None:
    raw = b"".join(map(wire.encoded_varint, NUMBERS))
    places = np.cumsum([0, *(len(wire.encoded_varint(each)) for each in NUMBERS)])
    values, ends = wire.varints(raw, np.array([*places[:-1], -1]))
    assert values.astype(np.uint64).tolist() == [*NUMBERS, 0]
    assert ends.tolist() == [*places[1:], -1]


def test_one_that_never_ends_comes_back_as_such() -> None:
    _, ends = wire.varints(b"\x80" * 10 + b"\x01", np.array([0, 10]))
    assert ends.tolist() == [-1, 11]


def test_more_numbers_than_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "AT_ONCE", 2)
    raw = bytes(range(5))
    assert wire.varints(raw, np.arange(5))[0].tolist() == [0, 1, 2, 3, 4]
    doubles = struct.pack("<5d", 1, 2, 3, 4, 5)
    assert wire.doubles(doubles, np.array([32, -1, 0, 8, 16])).tolist() == [5, 0, 1, 2, 3]


def fields(body: bytes, stop: int | None = None) -> list[tuple[int, int, bytes]]:
    """Return number, type and payload of the fields of a message."""
    whole = wire.fields(body, 0, len(body) if stop is None else stop)
    return [(number, kind, body[at:end]) for number, kind, at, end in whole]


@pytest.mark.parametrize("size", [0, 1, 127, 128, 300, 2**14])
@pytest.mark.parametrize("number", [1, 15, 16, 2047, 2048])
def test_fields_of_any_number_and_length_are_found(number: int, size: int) -> None:
    payload = b"p" * size
    body = wire.encoded(number, payload) + b"\x08\x96\x01" + b"\x11" + bytes(8) + b"\x1d" + bytes(4)
    assert fields(body) == [
        (number, wire.BYTES, payload),
        (1, wire.VARINT, b"\x96\x01"),
        (2, wire.FIXED64, bytes(8)),
        (3, wire.FIXED32, bytes(4)),
    ]


@pytest.mark.parametrize(
    "body",
    [
        *(b"\x0b", b"\x0c", b"\x0e", b"\x02\x00", b"\x00\x01"),  # groups, none, no number
        *(b"\x0a\x02a", b"\x11" + bytes(7), b"\x1d" + bytes(3), b"\x08\x80", b"\x08", b"\x0a"),
    ],
)
def test_fields_that_make_no_sense_are_malformed(body: bytes) -> None:
    with pytest.raises((Malformed, IndexError)):
        fields(body)


def test_a_field_ends_within_its_message() -> None:
    body = wire.encoded(1, b"ab") + wire.encoded(2, b"c")
    assert fields(body, 4) == [(1, wire.BYTES, b"ab")]
    with pytest.raises(Malformed):
        fields(body, 3)
