"""Requests field by field: lengths at the edges of a byte, fields out of their usual order."""

import struct

import pytest

from apps.telemetry.formats.columns import key_of
from apps.telemetry.formats.lines.complaints import NothingUsable, TooBig
from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.protobuf.wire import Malformed, encoded, encoded_varint
from apps.telemetry.formats.remote_write import found_columns, messages
from apps.telemetry.formats.remote_write.version_1 import read_v1
from apps.telemetry.formats.remote_write.version_2 import read_v2

EDGES = (0, 1, 127, 128, 129, 255, 256, 300, 2**14 - 1, 2**14, 2**14 + 128)


@pytest.mark.parametrize("size", EDGES)
def test_messages_of_any_length_are_found_where_they_stand(size: int) -> None:
    body = encoded(1, b"a" * size) + encoded(3, b"b" * size) + encoded(1, b"c")
    found = [
        (number, kind, body[start:stop]) for number, kind, start, stop in messages.messages(body)
    ]
    assert found == [
        (1, wire.BYTES, b"a" * size),
        (3, wire.BYTES, b"b" * size),
        (1, wire.BYTES, b"c"),
    ]


def test_fields_of_other_types_stand_between_them() -> None:
    number = encoded_varint(7 << 3 | wire.VARINT) + encoded_varint(300)
    body = number + encoded(16, b"late") + number
    assert [found[:2] for found in messages.messages(body)] == [
        (7, wire.VARINT),
        (16, wire.BYTES),
        (7, wire.VARINT),
    ]


@pytest.mark.parametrize("body", [b"\x0a\x05abc", b"\x02\x01a", b"\x00\x01"])
def test_a_message_that_ends_too_soon_or_has_no_number_is_malformed(body: bytes) -> None:
    with pytest.raises(Malformed):
        messages.messages(body)


def test_as_many_messages_as_the_limit_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "FIELDS_LIMIT", 3)
    assert len(messages.messages(encoded(1, b"a") * 3)) == 3
    with pytest.raises(TooBig):
        messages.messages(encoded(1, b"a") * 4)


NAME = (b"__name__", b"up")


def label(name: bytes, value: bytes) -> bytes:
    """Return a label of a series."""
    return encoded(1, encoded(1, name) + encoded(2, value))


def sample(at: int, value: float, *, is_backwards: bool = False) -> bytes:
    """Return a sample of a series; zeros are left out as encoders do."""
    parts = [
        b"\x09" + struct.pack("<d", value) if value else b"",
        b"\x10" + encoded_varint(at) if at else b"",
    ]
    return encoded(2, b"".join(parts[::-1] if is_backwards else parts))


def found(*series: bytes) -> list[tuple[int, int, float]]:
    """Return row, time and value of what is found in series."""
    columns = read_v1(body=b"".join(encoded(1, each) for each in series))
    rows = zip(columns.series.tolist(), columns.at.tolist(), columns.values.tolist(), strict=True)
    return list(rows)


def test_samples_are_found_wherever_they_stand_in_a_series() -> None:
    exemplar = encoded(3, b"\x09" + bytes(8))
    histogram = encoded(4, b"\x08\x01")
    assert found(
        label(*NAME) + sample(1, 1.0) + sample(2**40, 2.0) + sample(3, 3.0),
        label(*NAME) + exemplar + sample(4, 4.0) + histogram + sample(5, 5.0),
        label(*NAME) + label(b"job", b"a") + sample(6, 0.0) + sample(0, 7.0) + sample(0, 0.0),
        label(*NAME) + sample(8, 8.0, is_backwards=True),
    ) == [
        *[(0, 1, 1.0), (0, 2**40, 2.0), (0, 3, 3.0), (0, 4, 4.0), (0, 5, 5.0)],
        *[(1, 6, 0.0), (1, 0, 7.0), (1, 0, 0.0), (0, 8, 8.0)],
    ]


def test_exemplars_and_histograms_are_counted() -> None:
    series = label(*NAME) + encoded(3, b"") * 2 + encoded(4, b"") * 3
    columns = read_v1(body=encoded(1, series))
    assert (columns.exemplar_count, columns.histogram_count) == (2, 3)


@pytest.mark.parametrize(
    "series",
    [
        label(*NAME) + sample(1, 1.0) + label(b"job", b"a"),
        label(*NAME) + b"\x12\x7f",
        label(*NAME) + b"\x12",
        label(*NAME)[:-1],
        label(*NAME) + encoded(2, b"\x09" + bytes(7)),
        label(*NAME) + encoded(2, b"\x10" + b"\x80" * 11),
    ],
)
def test_a_series_that_makes_no_sense_is_refused(series: bytes) -> None:
    with pytest.raises(NothingUsable):
        found(series)


@pytest.mark.parametrize("size", EDGES[2:8])
def test_labels_of_any_length_and_order_are_one_key(size: int) -> None:
    job = (b"job", b"j" * size)
    other = label(b"zone", b"z")
    orders = [label(*NAME) + label(*job) + other, other + label(*job) + label(*NAME)]
    for raw in orders:
        columns = read_v1(body=encoded(1, raw + sample(1, 1.0)))
        assert columns.keys == (key_of([NAME, job, (b"zone", b"z")]),)


def metadata(name: bytes, kind: int, help_text: bytes = b"", unit: bytes = b"") -> bytes:
    """Return what is said of a metric."""
    number = b"\x08" + encoded_varint(kind)
    return encoded(3, number + encoded(2, name) + encoded(4, help_text) + encoded(5, unit))


def test_metadata_stands_under_its_metric() -> None:
    body = metadata(b"up", 2, b"whether it is", b"bool") + metadata(b"down", 7)
    assert {
        name: (said.kind, said.unit, said.help)
        for name, said in read_v1(body=body).metadata.items()
    } == {"up": ("gauge", "bool", "whether it is"), "down": ("stateset", "", "")}


def test_metadata_that_says_nothing_or_of_nobody_is_left_out() -> None:
    body = metadata(b"up", 0) + metadata(b"down", 8) + metadata(b"", 2)
    assert read_v1(body=body).metadata == {}


def test_no_more_metadata_is_kept_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(found_columns, "METADATA_LIMIT", 2)
    body = b"".join(metadata(name, 1) for name in (b"a", b"b", b"c"))
    assert list(read_v1(body=body).metadata) == ["a", "b"]


@pytest.mark.parametrize(("number", "reads"), [(4, read_v1), (5, read_v1), (1, read_v2)])
def test_a_request_of_the_other_version_is_told_so(number: int, reads: object) -> None:
    with pytest.raises(NothingUsable, match="this is a request of version"):
        reads(body=encoded(number, b""))  # type: ignore[operator]


def request_v2(symbols: list[bytes], refs: list[int], *parts: bytes) -> bytes:
    """Return a 2.0 request of one series."""
    series = encoded(1, b"".join(map(encoded_varint, refs))) + b"".join(parts)
    return b"".join(encoded(4, each) for each in symbols) + encoded(5, series)


SYMBOLS = [b"", b"__name__", b"up", b"job", b"a", b"s", b"whether it is"]


def test_labels_of_version_2_are_pairs_of_symbols_in_any_order() -> None:
    for refs in ([1, 2, 3, 4], [3, 4, 1, 2]):
        columns = read_v2(body=request_v2(SYMBOLS, refs, sample(1, 1.0)))
        assert columns.keys == (key_of([NAME, (b"job", b"a")]),)


@pytest.mark.parametrize("refs", [[1], [1, 2, 3], [1, 7], [1, 2**40]])
def test_references_that_lead_nowhere_refuse_their_series(refs: list[int]) -> None:
    columns = read_v2(body=request_v2(SYMBOLS, refs, sample(1, 1.0), sample(2, 1.0)))
    assert (columns.keys, columns.refused_count) == ((), 2)
    assert "lead nowhere" in columns.refusal


@pytest.mark.parametrize("symbols", [[], [b"up", b""]])
def test_the_first_symbol_is_empty(symbols: list[bytes]) -> None:
    with pytest.raises(NothingUsable, match="first symbol"):
        read_v2(body=request_v2(symbols, [0, 1]))


def test_version_2_counts_exemplars_and_histograms_and_the_last_metadata_holds() -> None:
    gauge = encoded(5, b"\x08\x02\x18\x06\x20\x05")
    counter = encoded(5, b"\x08\x01\x18\x06\x20\x05")
    parts = (counter, encoded(3, b""), encoded(3, b""), encoded(4, b""), gauge)
    columns = read_v2(body=request_v2(SYMBOLS, [1, 2], *parts))
    assert (columns.histogram_count, columns.exemplar_count) == (2, 1)
    assert [(said.kind, said.unit, said.help) for said in columns.metadata.values()] == [
        ("gauge", "s", "whether it is")
    ]


def test_metadata_of_symbols_that_are_not_there_is_left_out() -> None:
    columns = read_v2(body=request_v2(SYMBOLS, [1, 2], sample(1, 1.0), encoded(5, b"\x20\x07")))
    assert (len(columns.series), columns.metadata) == (1, {})
