"""Columns and lists of parts ↔ compressed bytes, and two readings of one minute as one.

A value of the minute's later column counts; an earlier one only fills what the later lacks, so that
it does not matter which was read first.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
import zstandard
from numpy.typing import NDArray

from apps.diagnosis.input_values import whole_number

LEVEL: Final = 3
MOST_BYTES: Final = 16 * 2**20
MOST_PARTS: Final = 40_000  # of one signal: 16,384 GPUs, or two ports of each
Floats = NDArray[np.float64]
Part = tuple[str, str]  # host, and which part of it: "3", "mlx5_0"; empty: the node itself


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MinuteColumn:
    """One signal at one minute; NaN where nobody told."""

    parts: tuple[Part, ...]
    values: Floats
    read_until: datetime


def merge_columns(known: MinuteColumn, fresh: MinuteColumn) -> MinuteColumn:
    """Return two readings of a minute as one, whichever came first."""
    later, earlier = (fresh, known) if fresh.read_until >= known.read_until else (known, fresh)
    if later.parts == earlier.parts:
        values = np.where(np.isnan(later.values), earlier.values, later.values)
        return MinuteColumn(parts=later.parts, values=values, read_until=later.read_until)
    told = dict(zip(earlier.parts, earlier.values.tolist(), strict=True))
    for part, value in zip(later.parts, later.values.tolist(), strict=True):
        told[part] = told.get(part, value) if np.isnan(value) else value
    parts = tuple(sorted(told, key=part_order))
    return MinuteColumn(
        parts=parts,
        values=np.array([told[each] for each in parts]),
        read_until=later.read_until,
    )


def part_order(part: Part) -> tuple[str, int, str]:
    """Return how parts are ordered: by host, GPUs by number, ports by name."""
    host, label = part
    number = whole_number(label)
    return (host, -1 if number is None else number, label)


def packed_values(values: Floats, *, is_exact: bool) -> bytes:
    """Return a column, compressed; counters exactly, since their differences count."""
    kind = "<f8" if is_exact else "<f4"
    raw = values.astype(kind)
    # Bytes of one weight side by side: neighbours are alike, and it halves what is stored.
    planes = raw.view(np.uint8).reshape(-1, raw.itemsize).T
    return bytes([raw.itemsize]) + zstandard.compress(planes.tobytes(), LEVEL)


def values_of(body: bytes | memoryview) -> Floats:
    """Return the column of a body."""
    raw = bytes(body)
    width = raw[0]
    planes = np.frombuffer(_plain(raw[1:]), np.uint8).reshape(width, -1)
    found: Floats = np.ascontiguousarray(planes.T).view(f"<f{width}").reshape(-1).astype(np.float64)
    return found


def packed_parts(parts: Sequence[Part]) -> tuple[bytes, bytes]:
    """Return the digest of a list of parts, and the list compressed."""
    text = json.dumps(parts, separators=(",", ":")).encode()
    return hashlib.sha256(text).digest(), zstandard.compress(text, LEVEL)


def parts_of(body: bytes | memoryview) -> tuple[Part, ...]:
    """Return the parts of a body."""
    return tuple((host, label) for host, label in json.loads(_plain(bytes(body))))


def _plain(packed: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=MOST_BYTES)
