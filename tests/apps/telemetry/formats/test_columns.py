"""The key of a series: one spelling for all senders, and what can't be kept."""

import numpy as np
import pytest

from apps.telemetry.formats import columns
from apps.telemetry.formats.columns import (
    LABELS_LIMIT,
    NAME,
    NAME_BYTES,
    ODD_BYTES,
    VALUE_BYTES,
    BadSeries,
    Columns,
    Meta,
    key_of,
    key_of_usual,
    label,
    labels_of,
    metric_of,
    pairs_of,
)
from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.protobuf.wire import Malformed, encoded

UP = (NAME, b"up")
EDGES = (0, 1, 90, 95, 96, 97, 98, 99, 120, 123, 124, 127, 128, 200, 300)


def of_job(size: int) -> list[tuple[bytes, bytes]]:
    """Return labels with a value of this size."""
    return [UP, (b"job", b"j" * size)]


@pytest.mark.parametrize("size", EDGES)
def test_a_key_is_read_back_as_the_labels_it_was_made_of(size: int) -> None:
    key = key_of(of_job(size))
    assert pairs_of(key) == [each for each in of_job(size) if each[1]]
    assert metric_of(key) == "up"
    assert labels_of(key)["__name__"] == "up"


@pytest.mark.parametrize("size", EDGES[1:])
def test_a_label_is_encoded_as_the_protocol_has_it(size: int) -> None:
    value = b"j" * size
    assert label(b"job", value) == encoded(1, encoded(1, b"job") + encoded(2, value))


@pytest.mark.parametrize("size", EDGES[1:])
def test_usual_labels_in_any_order_have_the_key_that_all_have(size: int) -> None:
    pairs = [*of_job(size), (b"a", b"b")]
    for order in (pairs, pairs[::-1]):
        raw = b"".join(label(*each) for each in order)
        assert key_of_usual(raw) in {None, key_of(pairs)}
    assert key_of_usual(b"".join(label(*each) for each in of_job(1)[::-1])) == key_of(of_job(1))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        label(b"job", b"a"),
        label(*UP) + label(*UP),
        label(*UP) + b"\x0a",
        label(*UP) + label(b"job", b""),
        label(*UP) + label(b"", b"a"),
        label(*UP) + label(b"job", "é".encode()),
        label(*UP) + label(b"job", b"a\0"),
        label(*UP) + encoded(1, encoded(2, b"a") + encoded(1, b"job")),
        label(*UP) + encoded(2, encoded(1, b"job") + encoded(2, b"a")),
        label(*UP) + encoded(1, encoded(1, b"job") + encoded(2, b"a") + b"\x18\x01"),
        label(*UP)[:-1],
    ],
)
def test_of_unusual_labels_the_quick_way_says_nothing(raw: bytes) -> None:
    assert key_of_usual(raw) is None


@pytest.mark.parametrize(("count", "is_taken"), [(LABELS_LIMIT, True), (LABELS_LIMIT + 1, False)])
def test_a_series_has_so_many_labels_and_no_more(count: int, *, is_taken: bool) -> None:
    pairs = [UP, *((b"l%03d" % number, b"v") for number in range(count - 1))]
    raw = b"".join(label(*each) for each in pairs)
    assert (key_of_usual(raw) is not None) is is_taken
    if is_taken:
        assert len(pairs_of(key_of(pairs))) == count
        return
    with pytest.raises(BadSeries, match=f"has {count} labels"):
        key_of(pairs)


def test_one_label_more_is_refused_by_their_number() -> None:
    labels = [(b"l%03d" % number, b"v") for number in range(LABELS_LIMIT)]
    assert len(pairs_of(key_of([UP, *labels[1:]]))) == LABELS_LIMIT
    with pytest.raises(BadSeries, match=f"has {LABELS_LIMIT + 1} labels"):
        key_of([UP, *labels])


@pytest.mark.parametrize(
    "labels",
    [
        [(b"job", b"a")],
        [(NAME, b"")],
        [UP, (NAME, b"down")],
        [UP, (b"", b"a")],
        [UP, (b"job", b"a\0b")],
        [UP, (b"j\0", b"a")],
        [UP, (b"job", b"\xff")],
        [UP, (b"\xff", b"a")],
        [UP, (b"j" * (NAME_BYTES + 1), b"a")],
        [UP, (b"job", b"a" * (VALUE_BYTES + 1))],
        [(NAME, b"u" * (NAME_BYTES + 1))],
    ],
)
def test_labels_that_nobody_can_keep_are_refused(labels: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(BadSeries):
        key_of(labels)


def test_names_and_values_of_just_the_limit_are_kept() -> None:
    labels = [(NAME, b"u" * NAME_BYTES), (b"j" * NAME_BYTES, b"a" * VALUE_BYTES)]
    assert pairs_of(key_of(labels)) == labels
    text = [(NAME, b"up"), ("é".encode(), "ü".encode())]
    assert labels_of(key_of(text)) == {"__name__": "up", "é": "ü"}


def test_a_label_without_a_value_is_none_even_twice() -> None:
    assert key_of([UP, (b"job", b""), (b"job", b"a"), (b"job", b"")]) == key_of(
        [UP, (b"job", b"a")]
    )


@pytest.mark.parametrize(
    ("raw", "pair"),
    [
        (encoded(2, b"a") + encoded(1, b"job"), (b"job", b"a")),
        (encoded(1, b"job"), (b"job", b"")),
        (encoded(1, b"job") + encoded(2, b""), (b"job", b"")),
        (encoded(2, b"a"), (b"", b"a")),
        (encoded(1, b"x") + encoded(1, b"job") + encoded(2, b"a"), (b"job", b"a")),
        (b"", (b"", b"")),
    ],
)
def test_a_label_is_read_however_its_encoder_wrote_it(
    raw: bytes, pair: tuple[bytes, bytes]
) -> None:
    assert pairs_of(encoded(1, raw)) == [pair]


def test_an_odd_label_is_read_up_to_a_size() -> None:
    rest = ODD_BYTES - len(encoded(2, b"a")) - 4
    assert pairs_of(
        encoded(1, encoded(2, b"a") + b"\x0a" + wire.encoded_varint(rest) + b"j" * rest)
    )
    with pytest.raises(BadSeries):
        pairs_of(encoded(1, encoded(2, b"a") + encoded(1, b"j" * ODD_BYTES)))


@pytest.mark.parametrize("raw", [encoded(2, b"a"), b"\x0a\x05abc", encoded(1, b"\x0a\x09job")])
def test_what_is_no_label_is_malformed(raw: bytes) -> None:
    with pytest.raises(Malformed):
        pairs_of(raw)


def test_so_many_labels_are_read_as_with_those_without_a_value_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(columns, "PAIRS_LIMIT", 3)
    assert len(pairs_of(label(*UP) * 3)) == 3
    with pytest.raises(BadSeries):
        pairs_of(label(*UP) * 4)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_the_metric_is_found_wherever_it_stands(at: int) -> None:
    others = [(b"A", b"x" * 200), (b"job", b"a")]
    pairs = [*others[:at], UP, *others[at:]]
    assert metric_of(b"".join(label(*each) for each in pairs)) == "up"


def body(*, samples: int = 0, metadata: dict[str, Meta] | None = None) -> Columns:
    """Return a body of one series."""
    return Columns(
        keys=(b"abc", b"de"),
        series=np.zeros(samples, np.intp),
        at=np.zeros(samples, np.int64),
        values=np.zeros(samples),
        metadata=metadata or {},
    )


def test_a_body_is_empty_without_samples_and_without_metadata() -> None:
    bodies = [body(), body(samples=1), body(metadata={"up": Meta()})]
    assert [each.is_empty for each in bodies] == [True, False, False]
    assert bodies[0].key_bytes == 5
