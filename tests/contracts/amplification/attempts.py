# ruff: noqa: PLC0415  a list: one attempt a line reads best
"""Attempts to make a small body cost much: how they are named, and bodies of a size."""

from collections.abc import Callable
from typing import Any

from tests.contracts.amplification.cost import Attempt

SIZE = 16 * 2**20
HALF = 8 * 2**20
ATTEMPTS: dict[str, Attempt] = {}
# What read bit by bit takes in all, and files that whoever asks has on a disk, by the mebibyte.
SHARES: dict[str, dict[str, Any]] = {
    "worker, events of parts": {"seconds": 0.5},  # many are told: each may be another GPU
    "worker": {"seconds": 0.3},
    "table": {"copies": 1},
    "wide table": {"seconds": 0.1, "copies": 8},  # as many numbers come back
}


def add(
    name: str,
    read: Callable[[bytes], str],
    make: Callable[[], bytes],
    small: bytes,
    **more: Any,
) -> None:
    assert name not in ATTEMPTS, name
    more = more or next((each for start, each in SHARES.items() if name.startswith(start)), {})
    ATTEMPTS[name] = Attempt(name=name, make=make, read=read, small=small, **more)


def filled(before: bytes, each: bytes, after: bytes, size: int = SIZE, join: bytes = b",") -> bytes:
    """Return a body of about a size: one part again and again."""
    count = (size - len(before) - len(after)) // (len(each) + len(join))
    return before + join.join([each] * count) + after


def numbered(before: bytes, each: bytes, after: bytes, size: int, join: bytes = b",") -> bytes:
    """Return a body whose parts differ by a number that stands where `%d` does."""
    count = (size - len(before) - len(after)) // (len(each) + 4 + len(join))
    return before + join.join([each % n for n in range(count)]) + after


def snappy(plain: bytes) -> bytes:
    import cramjam

    return bytes(cramjam.snappy.compress_raw(plain))
