"""What a JSON text takes as objects, counted on its bytes before anybody parses it.

Each value follows a comma, a colon or an opening bracket, so these are counted, outside of strings.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

# Of CPython: an object with a key, a list with a value, any other value with its place.
OBJECT_BYTES, LIST_BYTES, VALUE_BYTES = 240, 96, 64
# No text weighs more a byte: `[],` again and again.
MOST_A_BYTE: Final = (LIST_BYTES + VALUE_BYTES) / 3
BLOCK_BYTES: Final = 256 * 1024
QUOTE: Final = ord('"')

Table = NDArray[np.uint8]


def is_heavier(*, text: bytes, most: int) -> bool:
    """Say whether a text would take more than `most` bytes as objects, its letters not counted."""
    return len(text) * MOST_A_BYTE > most and _exceeds(text, most, WEIGHTS)


def weight_of(*, text: bytes) -> int:
    """Return how many bytes a text takes as objects, its letters not counted."""
    return _total(_outside(text, WEIGHTS))


def has_more_values(*, text: bytes, most: int) -> bool:
    """Say whether a text holds more than `most` keys and values."""
    return len(text) > most and _exceeds(text, most, ONES)


def _exceeds(text: bytes, most: int, table: Table) -> bool:
    """Count everything first, which is quick; what stands in strings is told apart if need be."""
    if _total(_everywhere(text, table)) <= most:
        return False
    return _total(_outside(text, table)) > most


def _total(weights: Iterator[Table]) -> int:
    return sum(int(each.sum(dtype=np.int64)) for each in weights)


def _everywhere(text: bytes, table: Table) -> Iterator[Table]:
    raw = np.frombuffer(text, np.uint8)
    for start in range(0, len(raw), BLOCK_BYTES):
        yield table[raw[start : start + BLOCK_BYTES]]


def _outside(text: bytes, table: Table) -> Iterator[Table]:
    """Yield the weights of what stands in no string."""
    for block, inside in _blocks(text):
        yield table[block] * (inside ^ 1)


def cuts_of_array(*, text: bytes) -> Iterator[int]:
    """Yield where commas stand between the values of an array, one about each 256 KiB."""
    depth = start = 0
    for block, inside in _blocks(text):
        depths = np.cumsum(STEPS[block] * (inside ^ 1).astype(np.int8), dtype=np.int64) + depth
        found = np.flatnonzero((block == ord(",")) & (inside == 0) & (depths == 1))
        if len(found):
            yield start + int(found[-1])
        depth, start = int(depths[-1]), start + len(block)


def _blocks(text: bytes) -> Iterator[tuple[Table, NDArray[np.integer[Any]]]]:
    """Yield letters, and of each whether it stands in a string."""
    if b"\\" in text:  # pairs first: what is left of an escaped quote is no quote
        text = text.replace(b"\\\\", b"  ").replace(b'\\"', b"  ")
    raw = np.frombuffer(text, np.uint8)
    is_inside = np.uint8(0)
    for start in range(0, len(raw), BLOCK_BYTES):
        block = raw[start : start + BLOCK_BYTES]
        # Counted modulo 256, which keeps what is odd.
        inside = (np.cumsum(block == QUOTE, dtype=np.uint8) + is_inside) & 1
        is_inside = inside[-1]
        yield block, inside


def _table(*, opened: int, listed: int, value: int) -> Table:
    weights = np.zeros(256, np.uint8)
    weights[ord("{")] = opened
    weights[ord("[")] = listed
    weights[[ord(","), ord(":")]] = value
    return weights


WEIGHTS: Final = _table(opened=OBJECT_BYTES, listed=LIST_BYTES, value=VALUE_BYTES)
STEPS: Final = np.zeros(256, np.int8)
STEPS[[ord("["), ord("{")]], STEPS[[ord("]"), ord("}")]] = 1, -1
ONES: Final = _table(opened=1, listed=1, value=1)
