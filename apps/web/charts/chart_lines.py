"""Lines of a chart: their gaps, their band, how far the suspect stands from its peers."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 1000
BAND = ("p5", "p95")
FEW = 3  # samples outside the band that a calm line may have
WIDE = 0.12  # of the time shown


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """One series as it was captured, beside its peers. Gaps are NaN, never zero."""

    signal: str
    name: str
    at: NDArray[np.float64]  # Unix seconds
    values: NDArray[np.floating[Any]]
    peers: Mapping[str, NDArray[np.floating[Any]]] = field(default_factory=dict)  # p5 … p95
    host: str = ""
    owner: str = ""
    is_blamed: bool = False
    reader_id: int = 0  # for whom it is drawn: what is made of it is kept for that one alone

    @property
    def content(self) -> Hashable:
        """Return all that is drawn of it; None where nothing made of it is kept."""
        if not self.reader_id:
            return None
        arrays = [("", self.at), ("value", self.values), *sorted(self.peers.items())]
        numbers = tuple((name, each.dtype.str, each.tobytes()) for name, each in arrays)
        return (self.reader_id, self.signal, self.name, self.host, self.owner, numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One kind of chart: which signals it shows, and in which words."""

    key: str
    title: str
    signals: tuple[str, ...]
    unit: str
    layer: str
    factor: float = 1.0  # from the signal's unit to the one shown
    digits: int = 0


def is_calm(line: Line) -> bool:
    """Say whether a line stays within the band of its peers, but for a sample or two."""
    if not has_band(line):
        return False
    low, high = (line.peers[key] for key in BAND)
    margin = 0.05 * np.maximum(np.abs(low), np.abs(high))
    outside = (line.values < low - margin) | (line.values > high + margin)
    return int(outside.sum()) < FEW and not wide_gaps(line)


def distance(line: Line) -> float:
    """Return how far a line leaves the middle of its peers, else its own range."""
    if np.isnan(line.values).all():
        return -1.0
    middle = line.peers.get("p50")
    if middle is None or len(middle) != len(line.values):
        return float(np.nanmax(line.values) - np.nanmin(line.values))
    difference = np.abs(line.values - middle)
    return 0.0 if np.isnan(difference).all() else float(np.nanmax(difference))


def has_band(line: Line) -> bool:
    """Say whether the peers of a line were captured on its own grid."""
    return all(len(line.peers.get(key, ())) == len(line.at) > 0 for key in BAND)


def thin(
    at: NDArray[np.float64], values: NDArray[np.floating[Any]]
) -> tuple[NDArray[np.float64], NDArray[np.floating[Any]]]:
    """Return at most a thousand points: each bucket's lowest and highest, and every gap."""
    if len(at) <= MOST_POINTS:
        return at, values
    kept: list[int] = []
    for bucket in np.array_split(np.arange(len(at)), MOST_POINTS // 2):
        inside = values[bucket]
        if np.isnan(inside).all():
            kept.append(int(bucket[0]))
            continue
        kept.extend(sorted({int(bucket[np.nanargmin(inside)]), int(bucket[np.nanargmax(inside)])}))
    index = np.array(kept)
    return at[index], values[index]


def gaps(line: Line) -> list[tuple[float, float]]:
    """Return the stretches without data: no data is drawn as such, never as zero."""
    missing = np.isnan(line.values)
    found: list[tuple[float, float]] = []
    start: float | None = None
    for at, is_missing in zip(line.at, missing, strict=True):
        if is_missing and start is None:
            start = float(at)
        elif not is_missing and start is not None:
            found.append((start, float(at)))
            start = None
    if start is not None and len(line.at):
        found.append((start, float(line.at[-1])))
    return [(begin, end) for begin, end in found if end > begin]


def wide_gaps(line: Line) -> list[tuple[float, float]]:
    """Return the gaps that have room for words."""
    if not len(line.at):
        return []
    length = float(line.at[-1] - line.at[0])
    return [(begin, end) for begin, end in gaps(line) if end - begin > WIDE * length]
