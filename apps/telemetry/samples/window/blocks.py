"""Samples of one part of a metric over one slot of time: arrays ↔ compressed bytes, and merging."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import zstandard
from numpy.typing import NDArray

SLOT_SECONDS: Final = 600
SLOT_MS: Final = SLOT_SECONDS * 1000
# Speed before size: a block of the running slot is written anew many times.
LEVEL: Final = 1
SAMPLE_BYTES: Final = 16
MAX_BLOCK_BYTES: Final = 256 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampleRun:
    """Samples in order of series and time, each pair of them once."""

    series: NDArray[np.int64]  # place of the series in its part
    at: NDArray[np.int64]  # Unix milliseconds
    values: NDArray[np.float64]

    def __len__(self) -> int:
        """How many samples there are."""
        return len(self.series)


NOTHING: Final = SampleRun(
    series=np.empty(0, np.int64), at=np.empty(0, np.int64), values=np.empty(0, np.float64)
)


def merged(runs: Sequence[SampleRun]) -> SampleRun:
    """Return runs as one. Of samples of one series and instant the last run's last one stays."""
    series = np.concatenate([run.series for run in runs])
    at = np.concatenate([run.at for run in runs])
    values = np.concatenate([run.values for run in runs])
    order = np.lexsort((at, series))  # stable: later ones stay behind earlier ones
    series, at = series[order], at[order]
    is_last = np.ones(len(order), np.bool_)
    is_last[:-1] = (np.diff(series) != 0) | (np.diff(at) != 0)
    return SampleRun(series=series[is_last], at=at[is_last], values=values[order][is_last])


def packed(run: SampleRun, *, slot: int) -> bytes:
    """Return a run, compressed: differences, and the bytes of values that change slowly apart."""
    series = np.diff(run.series, prepend=0).astype("<u4")
    at = np.diff(run.at, prepend=slot).astype("<i4")
    bits = run.values.view(np.uint64).astype("<u8")
    bits[1:] ^= bits[:-1].copy()
    planes = np.ascontiguousarray(bits.view(np.uint8).reshape(-1, 8).T)
    raw = b"".join((series.tobytes(), at.tobytes(), planes.tobytes()))
    return zstandard.compress(raw, LEVEL)


def unpacked(body: bytes | memoryview, *, slot: int) -> SampleRun:
    """Return the run of a block; raise ValueError when the bytes are no block."""
    raw = zstandard.ZstdDecompressor().decompress(bytes(body), max_output_size=MAX_BLOCK_BYTES)
    count, rest = divmod(len(raw), SAMPLE_BYTES)
    if rest:
        raise ValueError(f"{len(raw)} bytes are no whole samples")
    series = np.frombuffer(raw, "<u4", count).astype(np.int64)
    at = np.frombuffer(raw, "<i4", count, offset=4 * count).astype(np.int64)
    planes = np.frombuffer(raw, np.uint8, 8 * count, offset=8 * count).reshape(8, count)
    bits = np.ascontiguousarray(planes.T).view("<u8")[:, 0]
    return SampleRun(
        series=np.cumsum(series),
        at=np.cumsum(at) + slot,
        values=np.bitwise_xor.accumulate(bits).view(np.float64) if count else NOTHING.values,
    )


def slot_of(at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the beginning of the slot of each instant, in milliseconds."""
    return at - at % SLOT_MS
