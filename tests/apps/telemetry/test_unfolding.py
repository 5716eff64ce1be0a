"""Small bodies that mean much: what they unfold to is bounded before it is held."""

import struct
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.telemetry.formats import remote_write
from apps.telemetry.formats.columns import (
    KEY_BYTES_LIMIT,
    Columns,
    key_of,
    key_of_usual,
    label,
    pairs_of,
)
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig
from apps.telemetry.formats.otlp import otlp_logs, otlp_metrics
from apps.telemetry.formats.otlp.otlp_log_messages import REQUEST as LOGS
from apps.telemetry.formats.otlp.otlp_messages import REQUEST
from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.protobuf.wire import encoded, encoded_varint
from tests.api.receivers.writing import Series, v2

LONG = "x" * 4000
UP = encoded(1, encoded(1, b"__name__") + encoded(2, b"up"))


def peak_of(read: Callable[[], object]) -> int:
    """Return the most bytes that reading held beside what was there."""
    tracemalloc.start()
    try:
        with pytest.raises((TooBig, NothingUsable)):
            read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def shared_labels(count: int) -> bytes:
    """Return a 2.0 body whose series share a hundred long values and differ in a short one."""
    long = {f"l{n}": LONG for n in range(100)}
    return v2([Series(labels={"__name__": "up", "n": str(n), **long}) for n in range(count)])


def resource(*, attributes: int, points: int, length: int = 1000) -> bytes:
    """Return an OTLP body of one resource with many attributes, and many points."""
    request = REQUEST()
    told = request.resource_metrics.add()
    for n in range(attributes):
        told.resource.attributes.add(key=f"k8s.{n}").value.string_value = "x" * length
    metric = told.scope_metrics.add().metrics.add(name="up")
    for n in range(points):
        point = metric.gauge.data_points.add(time_unix_nano=1, as_double=1.0)
        point.attributes.add(key="n").value.string_value = str(n)
    body: bytes = request.SerializeToString()
    return body


def empty_samples() -> bytes:
    """Return two bytes of each of two million samples."""
    return encoded(2, b"") * 2_000_000


@pytest.mark.parametrize(
    ("read", "written"),
    [
        (remote_write.read_v1, lambda: encoded(1, UP + empty_samples())),
        (remote_write.read_v1, lambda: encoded(1, encoded(1, b"") + empty_samples())),
        (remote_write.read_v2, lambda: encoded(4, b"") + encoded(5, empty_samples())),
        (remote_write.read_v2, lambda: shared_labels(2_000)),
        (otlp_metrics.read_protobuf, lambda: resource(attributes=100, points=2_000)),
    ],
    ids=["samples", "refused samples", "fields of a series", "shared labels", "attributes"],
)
def test_what_a_body_unfolds_to_is_bounded(
    read: Callable[..., Columns], written: Callable[[], bytes]
) -> None:
    body = written()
    assert peak_of(lambda: read(body=body)) < 4 * KEY_BYTES_LIMIT


def test_a_body_of_more_than_any_sender_batches_is_refused_with_the_number() -> None:
    series = [encoded(1, UP + encoded(1, encoded(1, b"n") + encoded(2, b"%d" % n)))
              for n in range(60_001)]  # fmt: skip
    sample = encoded(2, b"\x09" + bytes(8) + b"\x10" + encoded_varint(1763690400000))

    with pytest.raises(TooBig, match="more than 60000 series"):
        remote_write.read_v1(body=b"".join(series))
    with pytest.raises(TooBig, match="more than 300000 samples"):
        remote_write.read_v1(body=encoded(1, UP + sample * 300_001))
    with pytest.raises(TooBig, match="more than 100000 values"):
        otlp_metrics.read_protobuf(body=resource(attributes=0, points=100_001))
    assert len(remote_write.read_v1(body=b"".join(series[:-1])).keys) == 60_000
    assert len(remote_write.read_v1(body=encoded(1, UP + sample * 300_000)).series) == 300_000


def test_labels_that_are_shared_within_reason_are_read() -> None:
    assert len(remote_write.read_v2(body=shared_labels(50)).keys) == 50
    assert len(otlp_metrics.read_protobuf(body=resource(attributes=100, points=50)).keys) == 50


def test_points_that_share_labels_have_the_keys_that_each_has_alone() -> None:
    said: list[list[tuple[str, str]]] = [
        [("gpu", "3"), ("Hostname", "a")],
        [("Hostname", "a"), ("gpu", "4")],
        [("a.b", "2"), ("a_b", "1"), ("gpu", "3")],
        [("gpu", ""), ("é", "ü")],
        [("gpu", "3"), ("__name__", "other")],
        [("gpu", "3\0")],
        [("gpu", "3"), ("Hostname", "a")],
    ]

    def keys(points: list[list[tuple[str, str]]]) -> list[bytes]:
        request = REQUEST()
        metric = request.resource_metrics.add().scope_metrics.add().metrics.add(name="up")
        for pairs in points:
            point = metric.gauge.data_points.add(time_unix_nano=1, as_double=1.0)
            for name, value in pairs:
                point.attributes.add(key=name).value.string_value = value
        columns = otlp_metrics.read_protobuf(body=request.SerializeToString())
        return [columns.keys[row] for row in columns.series]

    assert keys(said) == [key for pairs in said for key in keys([pairs])]
    assert len(keys(said)) == len(said) - 1


@pytest.mark.parametrize(("of_resource", "of_point"), [(20_000, 1), (1, 50_000)])
def test_too_many_attributes_are_refused_before_they_are_joined(
    of_resource: int, of_point: int
) -> None:
    request = REQUEST.FromString(resource(attributes=of_resource, points=2_000, length=1))
    points = request.resource_metrics[0].scope_metrics[0].metrics[0].gauge.data_points
    for _ in range(of_point - 1):
        points[0].attributes.add(key="n").value.string_value = "x"
    body = request.SerializeToString()

    began = time.process_time()
    columns = otlp_metrics.read_protobuf(body=body)

    assert columns.refused_count >= 1
    assert "128 labels" in columns.refusal
    assert time.process_time() - began < 10


@pytest.mark.parametrize("count", [1, 3])
def test_samples_that_say_nothing_are_zeros_beside_those_of_other_series(count: int) -> None:
    down = encoded(1, encoded(1, b"__name__") + encoded(2, b"down"))
    said = encoded(2, b"\x09" + struct.pack("<d", 1.5) + b"\x10" + encoded_varint(1763690400000))

    columns = remote_write.read_v1(
        body=encoded(1, UP + encoded(2, b"") * count) + encoded(1, down + said)
    )

    assert columns.values.tolist() == [0.0] * count + [1.5]
    assert columns.at.tolist() == [0] * count + [1763690400000]


def test_of_metadata_that_is_said_often_the_last_counts_and_is_looked_at_alone() -> None:
    labels = {"__name__": "up", **{f"l{n}": "x" for n in range(100)}}
    body = v2([Series(labels=labels, samples=[(1, 1.0)], kind="gauge")])
    *_, (_, _, start, stop) = wire.fields(body, 0, len(body))
    head = body[: stop - len(encoded(5, body[start:stop]))]
    again = encoded(5, b"\x08\x01") * 100_000

    began = time.process_time()
    columns = remote_write.read_v2(body=head + encoded(5, body[start:stop] + again))

    assert columns.metadata["up"].kind == "counter"
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("attributes", "count", "told"), [(20_000, 4_000, "64 are taken"), (10, 6_000, "streams")]
)
def test_attributes_of_a_sender_of_logs_are_not_copied_for_each_of_its_voices(
    attributes: int, count: int, told: str
) -> None:
    request = LOGS()
    sender = request.resource_logs.add()
    for n in range(attributes):
        sender.resource.attributes.add(key=f"k8s.{n}").value.string_value = b"x"
    records = sender.scope_logs.add().log_records
    for n in range(count):
        record = records.add(time_unix_nano=1)
        record.body.string_value = b"x"
        record.attributes.add(key="host.name").value.string_value = f"host{n}".encode()
    body = request.SerializeToString()

    began = time.process_time()
    try:
        said = otlp_logs.read_protobuf(body=body, complaints=Complaints()).refusal
    except TooBig as error:
        said = str(error)
    assert told in said
    assert time.process_time() - began < 10


def test_a_usual_series_takes_few_steps() -> None:
    name = encoded(1, encoded(1, b"__name__") + encoded(2, b"up"))
    sample = encoded(2, b"\x09" + bytes(8) + b"\x10" + encoded_varint(1763690400000)) * 5
    body = b"".join(
        encoded(1, name + encoded(1, encoded(1, b"n") + encoded(2, b"%d" % n)) + sample)
        for n in range(1000)
    )
    calls = Counter[str]()
    sys.setprofile(lambda _frame, event, _arg: calls.update([event]))
    try:
        columns = remote_write.read_v1(body=body)
    finally:
        sys.setprofile(None)
    assert (len(columns.keys), len(columns.series)) == (1000, 5000)
    assert calls["call"] < 12 * len(columns.keys)


@given(
    labels=st.lists(
        st.tuples(
            st.sampled_from([b"__name__", b"a", b"b", b"l1", b"l10", b"", b"\xc3\xa9"]),
            st.sampled_from([b"up", b"", b"x", b"\0", b"x" * 60, b"y" * 130]),
        ),
        max_size=6,
    ),
    change=st.tuples(st.integers(0, 60), st.integers(0, 255), st.booleans()),
)
def test_a_key_that_is_found_quickly_is_the_key(
    labels: list[tuple[bytes, bytes]], change: tuple[int, int, bool]
) -> None:
    raw = b"".join(label(name, value) for name, value in labels)
    place, byte, is_changed = change
    if is_changed:
        raw = raw[:place] + bytes([byte]) + raw[place + 1 :]
    quick = key_of_usual(raw)
    if quick is not None:
        assert quick == key_of(pairs_of(raw))
    usual = {name: value for name, value in labels if name.isascii() and value in {b"up", b"x"}}
    if b"__name__" in usual and b"" not in usual:
        sent = b"".join(label(name, value) for name, value in usual.items())
        assert key_of_usual(sent) == key_of(usual.items())
