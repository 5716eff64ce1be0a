"""Points of a run ↔ compressed columns. A block holds those of a span of line numbers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
import zstandard
from numpy.typing import NDArray

from apps.diagnosis.model import PointKind, ProgressPoint

BLOCK_LINES: Final = 2**16
# Of more steps in a block every second, fourth … stays: by its number, so that it does not matter
# in what pieces the lines came.
MOST_STEPS: Final = 4096
# Steps that are one number, or multiples of a large one, no such number thins: beyond it lines do.
MOST_STRIDE: Final = 2**14
LEVEL: Final = 3
KINDS: Final = tuple(PointKind)
STEP_KIND: Final = KINDS.index(PointKind.STEP)
DTYPE: Final = np.dtype(
    [
        ("number", "<i8"),
        ("at", "<i8"),  # Unix microseconds, `NEVER` without
        ("step", "<i8"),  # -1 without, as `rank` and `batch`
        ("rank", "<i4"),
        ("batch", "<i4"),
        ("kind", "u1"),
        ("is_local", "?"),
        *((name, "<f8") for name in ("seconds", "loss", "tokens_per_second", "tflops", "mfu")),
    ]
)
WHOLE: Final = ("step", "rank", "batch")
DECIMAL: Final = ("seconds", "loss", "tokens_per_second", "tflops", "mfu")
NEVER: Final = np.iinfo(np.int64).min
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)
MOST_BYTES: Final = BLOCK_LINES * DTYPE.itemsize
assert {each.name for each in fields(ProgressPoint)} == set(DTYPE.names or ())  # noqa: S101


def packed(points: Sequence[ProgressPoint]) -> bytes:
    """Return points, compressed column by column."""
    table = np.array([_row(point) for point in points], DTYPE)
    columns = b"".join(np.ascontiguousarray(table[name]).tobytes() for name in DTYPE.names or ())
    return zstandard.compress(columns, LEVEL)


def unpacked(
    body: bytes | memoryview, *, stride: int = 1, most_marks: int = BLOCK_LINES
) -> list[ProgressPoint]:
    """Return the points of a block; raise ValueError when the bytes are no block.

    Of its steps those that a stride leaves, of its saves and loads the last ones.
    """
    raw = zstandard.ZstdDecompressor().decompress(bytes(body), max_output_size=MOST_BYTES)
    count, rest = divmod(len(raw), DTYPE.itemsize)
    if rest:
        raise ValueError(f"{len(raw)} bytes are no whole points")
    table = _columns(raw, count)
    return list(_points(table[_staying(table, stride, most_marks)]))


def thinned(points: Iterable[ProgressPoint], *, stride: int) -> tuple[list[ProgressPoint], int]:
    """Return the points that stay and which step of how many: `stride`, or more of them.

    Of the same lines the same stay, however they came: a power of two that only grows, to 2 ** 30
    at most in a block.
    """
    kept = [point for point in points if _stays(point, stride)]
    while sum(point.kind is PointKind.STEP for point in kept) > MOST_STEPS:
        stride *= 2
        kept = [point for point in kept if _stays(point, stride)]
    return kept, stride


def block_of(number: int) -> int:
    """Return in which block a line lies."""
    return number // BLOCK_LINES


def _stays(point: ProgressPoint, stride: int) -> bool:
    if point.kind is not PointKind.STEP:
        return True
    # Who doesn't count its steps is thinned by lines.
    if point.step is None:
        return point.number % stride == 0
    by_line = max(1, stride // MOST_STRIDE)
    return point.step % min(stride, MOST_STRIDE) == 0 and point.number % by_line == 0


def _staying(table: NDArray[np.void], stride: int, most_marks: int) -> NDArray[np.bool_]:
    """Return which rows are wanted: the others are left out before anything is made of them."""
    by_line = max(1, stride // MOST_STRIDE)
    numbered = (table["step"] % min(stride, MOST_STRIDE) == 0) & (table["number"] % by_line == 0)
    others = table["number"] % stride == 0
    is_mark = table["kind"] != STEP_KIND
    is_late = np.cumsum(is_mark) > is_mark.sum() - most_marks
    steps = np.where(table["step"] < 0, others, numbered)
    return np.asarray(np.where(is_mark, is_late, steps), np.bool_)


def _row(point: ProgressPoint) -> tuple[object, ...]:
    said = {
        "number": point.number,
        "at": NEVER if point.at is None else (point.at - EPOCH) // MICROSECOND,
        "kind": KINDS.index(point.kind),
        "is_local": point.is_local,
        **{name: _or(getattr(point, name), -1) for name in WHOLE},
        **{name: _or(getattr(point, name), np.nan) for name in DECIMAL},
    }
    return tuple(said[name] for name in DTYPE.names or ())


def _or(value: float | None, other: float) -> float:
    return other if value is None else value


def _columns(raw: bytes, count: int) -> NDArray[np.void]:
    table, offset = np.empty(count, DTYPE), 0
    for name in DTYPE.names or ():
        kind = DTYPE[name]
        table[name] = np.frombuffer(raw, kind, count, offset=offset)
        offset += count * kind.itemsize
    return table


def _points(table: NDArray[np.void]) -> Iterator[ProgressPoint]:
    for row in table:
        said: dict[str, Any] = {
            **{name: int(row[name]) if row[name] >= 0 else None for name in WHOLE},
            **{name: None if np.isnan(row[name]) else float(row[name]) for name in DECIMAL},
        }
        yield ProgressPoint(
            kind=KINDS[int(row["kind"])],
            number=int(row["number"]),
            at=None if row["at"] == NEVER else EPOCH + int(row["at"]) * MICROSECOND,
            is_local=bool(row["is_local"]),
            **said,
        )
