"""Pushed samples as columns: no object per sample, and one spelling of a series for all formats.

A series is known by its *key*: its labels, sorted, as remote_write 1.0 encodes them. Whoever needs
the labels reads them out of the key; whoever forwards the series sends the key as it is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from apps.telemetry.formats.protobuf import wire

# The NaN by which Prometheus says that a series ended.
STALE_BITS = np.uint64(0x7FF0000000000002)
STALE = np.array([STALE_BITS]).view(np.float64)[0]
NAME = b"__name__"
NAME_MARK = b"\x0a\x08__name__\x12"
TAG_ONE, TAG_TWO = 1 << 3 | wire.BYTES, 2 << 3 | wire.BYTES
LABELS_LIMIT = 128
PAIRS_LIMIT = 4 * LABELS_LIMIT  # with those without a value
NAME_BYTES = 300
VALUE_BYTES = 4096
ODD_BYTES = 2 * VALUE_BYTES  # of a label that is read field by field
SHORT = 200  # name and value together: longer ones are looked at closely
# Labels that are sent once and shared by many series unfold to keys of this size at the most.
KEY_BYTES_LIMIT = 32 * 2**20
DIGEST_BYTES = 16


class BadSeries(Exception):
    """The labels of a series can't be kept; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What a sender says of a metric. Empty: not said."""

    kind: str = ""  # counter gauge histogram gaugehistogram summary info stateset
    unit: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Columns:
    """A body: the key of each series, and the samples with the place of their series in `keys`."""

    keys: tuple[bytes, ...]
    series: NDArray[np.intp]
    at: NDArray[np.int64]  # Unix milliseconds
    values: NDArray[np.float64]
    deltas: frozenset[int] = frozenset()  # series whose values are increments
    metadata: Mapping[str, Meta] = field(default_factory=dict)
    histogram_count: int = 0
    exemplar_count: int = 0
    refused_count: int = 0  # samples or points of series that can't be kept
    refusal: str = ""  # why, of the first of them

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it that anybody could keep."""
        return not (len(self.series) or self.metadata)

    @property
    def key_bytes(self) -> int:
        """What the keys take, which may be far more than the body that they came in."""
        return sum(map(len, self.keys))


def key_of(labels: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the key of a label set; raise BadSeries."""
    pairs = sorted(pair for pair in labels if pair[1])
    if len(pairs) > LABELS_LIMIT:
        raise BadSeries(f"a series has {len(pairs)} labels; at most {LABELS_LIMIT} are taken")
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise BadSeries("a series has one label twice")
    if NAME not in names or not names[0]:
        raise BadSeries("a series has no label __name__, or one without a name")
    for name, value in pairs:
        if not (name.isascii() and value.isascii()) or len(name) + len(value) > SHORT:
            _check(name, value)
    if any(b"\0" in name or b"\0" in value for name, value in pairs):
        raise BadSeries("a label holds a NUL")
    return b"".join([label(name, value) for name, value in pairs])


def key_of_usual(raw: bytes) -> bytes | None:
    """Return the key of labels as nearly all senders encode them, None of others.

    Usual are short labels of ASCII, each with a name before a value; in any order. None says
    nothing: whoever gets it asks `key_of`.
    """
    names: list[bytes] = []
    labels: list[bytes] = []
    at, end = 0, len(raw)
    while at + 6 <= end:
        size, length = raw[at + 1], raw[at + 3]
        middle, stop = at + 4 + length, at + 2 + size
        is_usual = raw[at] == raw[at + 2] == TAG_ONE and size < 0x80 and middle + 1 < stop <= end
        if not is_usual or raw[middle] != TAG_TWO or middle + 2 + raw[middle + 1] != stop:
            return None
        names.append(raw[at + 4 : middle])
        labels.append(raw[at:stop])
        at = stop
    if at != end or len(names) > LABELS_LIMIT or not raw.isascii() or b"\0" in raw:
        return None  # a name or value without letters has a length of NUL
    of_name = dict(zip(names, labels, strict=True))
    if NAME not in of_name or len(of_name) != len(names):
        return None
    return b"".join([of_name[name] for name in sorted(names)])


def _check(name: bytes, value: bytes) -> None:
    limit = NAME_BYTES if name == NAME else VALUE_BYTES
    if not name or len(name) > NAME_BYTES or len(value) > limit:
        raise BadSeries(f"a label is longer than {NAME_BYTES} (name) or {limit} (value) bytes")
    try:
        name.decode()
        value.decode()
    except UnicodeDecodeError:
        raise BadSeries("a label is no UTF-8 text") from None


def label(name: bytes, value: bytes) -> bytes:
    """Return one label as remote_write 1.0 encodes it inside a series."""
    if len(name) + len(value) < 0x70:  # every length takes one byte
        return b"\x0a%c\x0a%c%b\x12%c%b" % (
            *(len(name) + len(value) + 4, len(name), name),
            *(len(value), value),
        )
    return wire.encoded(1, wire.encoded(1, name) + wire.encoded(2, value))


def pairs_of(key: bytes) -> list[tuple[bytes, bytes]]:
    """Return the labels of a series as they stand in its bytes.

    Raises Malformed, IndexError, and BadSeries for more than anybody could keep.
    """
    pairs: list[tuple[bytes, bytes]] = []
    at, end = 0, len(key)
    while at < end:
        size, at = _short(key, at + 1) if key[at] == TAG_ONE else (-1, at)
        if size < 0 or at + size > end:
            raise wire.Malformed
        stop = at + size
        pairs.append(_pair(key, at, stop))
        if len(pairs) > PAIRS_LIMIT:
            raise BadSeries(f"a series has more than {LABELS_LIMIT} labels")
        at = stop
    return pairs


def _pair(key: bytes, start: int, stop: int) -> tuple[bytes, bytes]:
    """Return a label whose name goes before its value, as in every encoder there is."""
    if stop - start > 1 and key[start] == TAG_ONE:
        size, begin = _short(key, start + 1)
        middle = begin + size
        if middle == stop:
            return key[begin:stop], b""
        if middle < stop and key[middle] == TAG_TWO:
            size, at = _short(key, middle + 1)
            if at + size == stop:
                return key[begin:middle], key[at:stop]
    if stop - start > ODD_BYTES:
        raise BadSeries(
            f"a label is longer than {NAME_BYTES} (name) or {VALUE_BYTES} (value) bytes"
        )
    found = {number: key[at:end] for number, _, at, end in wire.fields(key, start, stop)}
    return found.get(1, b""), found.get(2, b"")


def _short(key: bytes, at: int) -> tuple[int, int]:
    """Return a length and where it ends; nearly all of them take one byte."""
    size = key[at]
    return (size, at + 1) if size < 0x80 else wire.varint(key, at)


def labels_of(key: bytes) -> dict[str, str]:
    """Return the labels of a key as text."""
    return {name.decode(): value.decode() for name, value in pairs_of(key)}


def metric_of(key: bytes) -> str:
    """Return the metric that a key names."""
    at = 0
    while at < len(key):
        size, start = _short(key, at + 1)
        if key.startswith(NAME_MARK, start):
            length, begin = _short(key, start + len(NAME_MARK))
            return key[begin : begin + length].decode()
        at = start + size
    return ""


def digest_of(key: bytes) -> bytes:
    """Return what a series is known by in the database."""
    return blake2b(key, digest_size=DIGEST_BYTES).digest()


def is_stale(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say of each value whether it is the mark of a series that ended."""
    marks: NDArray[np.bool_] = values.view(np.uint64) == STALE_BITS
    return marks
