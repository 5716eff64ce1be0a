"""New lines beside those a stream has: in order, each once, cheap where nothing overlaps."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import overload

import numpy as np

from apps.telemetry.formats.pack import Stamps

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Consecutive lines of one stream; at least one."""

    text: bytes
    line_count: int
    stamps: Stamps | None = None


class LineTimes(Sequence[datetime]):
    """Stamps as instants, made only for the lines that somebody looks at."""

    def __init__(self, stamps: Stamps) -> None:
        self._stamps = stamps

    def __len__(self) -> int:
        return len(self._stamps)

    @overload
    def __getitem__(self, index: int) -> datetime: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[datetime]: ...
    def __getitem__(self, index: int | slice) -> datetime | Sequence[datetime]:
        """Return one instant, or the same view of a part."""
        if isinstance(index, slice):
            return LineTimes(self._stamps[index])
        return instant(nanoseconds=int(self._stamps[index]))


def instant(*, nanoseconds: int) -> datetime:
    """Return an instant; what no calendar holds is cut to its ends."""
    try:
        return EPOCH + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        return EPOCH if nanoseconds < 0 else datetime.max.replace(tzinfo=UTC)


def nanoseconds(*, at: datetime) -> int:
    """Return an aware instant as Unix nanoseconds."""
    return (at - EPOCH) // timedelta(microseconds=1) * 1000


def in_order(*, parts: Sequence[Lines]) -> Lines:
    """Return stamped parts as one, by stamp; ties stay as they came, the same line twice is one."""
    text = b"\n".join(part.text for part in parts)
    stamps = np.concatenate([part.stamps for part in parts if part.stamps is not None])
    steps = np.diff(stamps)
    if bool((steps > 0).all()):
        return Lines(text=text, line_count=len(stamps), stamps=stamps)
    lines = text.split(b"\n")
    if bool((steps < 0).any()):
        order = np.argsort(stamps, kind="stable")
        stamps, lines = stamps[order], [lines[each] for each in order]
    seen: set[tuple[int, bytes]] = set()
    return _kept(lines, stamps, _firsts(lines, stamps, seen))


def without_stamped(*, lines: Lines, known: Iterable[Lines]) -> Lines | None:
    """Return the stamped lines that are not known yet."""
    assert lines.stamps is not None  # noqa: S101  the type can't say that a stream is stamped
    seen: set[tuple[int, bytes]] = set()
    for part in known:
        if part.stamps is not None:
            seen.update(zip(part.stamps.tolist(), part.text.split(b"\n"), strict=True))
    if not seen:
        return lines
    split = lines.text.split(b"\n")
    kept = _firsts(split, lines.stamps, seen)
    return _kept(split, lines.stamps, kept) if kept else None


def without_repeated(*, lines: Lines, known: Iterable[Lines]) -> Lines | None:
    """Return the unstamped lines of a file that are not known yet: text and n-th occurrence."""
    had: Counter[bytes] = Counter()
    for part in known:
        had.update(part.text.split(b"\n"))
    split = lines.text.split(b"\n")
    kept = []
    for position, line in enumerate(split):
        if had.get(line, 0) > 0:
            had[line] -= 1
        else:
            kept.append(position)
    if len(kept) == len(split):
        return lines
    return _kept(split, None, kept) if kept else None


def _firsts(lines: Sequence[bytes], stamps: Stamps, seen: set[tuple[int, bytes]]) -> list[int]:
    kept = []
    for position, key in enumerate(zip(stamps.tolist(), lines, strict=True)):
        if key not in seen:
            seen.add(key)
            kept.append(position)
    return kept


def _kept(lines: Sequence[bytes], stamps: Stamps | None, kept: Sequence[int]) -> Lines:
    return Lines(
        text=b"\n".join([lines[each] for each in kept]),
        line_count=len(kept),
        stamps=None if stamps is None else stamps[np.asarray(kept, dtype=np.int64)],
    )
