"""Arrays of a slot ↔ compressed bytes, and two readings of one slot as one.

An interval counts once: one that lies in what is there already adds nothing, so that reading twice
and in any order gives the same sums.
"""

import json
from dataclasses import dataclass
from typing import Final

import numpy as np
import zstandard

from apps.telemetry.storage_path.slot_samples import (
    ADAPTERS,
    HOST,
    LEAST_HOST_BYTES_PER_SECOND,
    TOTALS,
    Floats,
    SlotSamples,
)

LEVEL: Final = 3
MOST_BYTES: Final = 64 * 2**20
AT, SECONDS = TOTALS.index("at"), TOTALS.index("seconds")
SLOTS_COLUMN: Final = HOST.index("slots")
# Bodies from before adapters were read begin with zstd's own mark, others with their width.
FORMER_WIDTH: Final = len(TOTALS) - len(ADAPTERS)
ZSTD_MARK: Final = 0x28


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotSums:
    """What is kept of a slot: intervals of all hosts, sums by host."""

    totals: Floats  # (intervals, TOTALS), by time
    hosts: tuple[str, ...]
    by_host: Floats  # (hosts, HOST)


EMPTY: Final = SlotSums(
    totals=np.empty((0, len(TOTALS))), hosts=(), by_host=np.empty((0, len(HOST)))
)


def grown_by(known: SlotSums, fresh: SlotSamples) -> SlotSums | None:
    """Return the sums with the intervals that are new; None where there is none."""
    is_new = np.array([not _is_covered(known.totals, row) for row in fresh.totals], dtype=np.bool_)
    if not is_new.any():
        return None
    totals = np.concatenate([known.totals, fresh.totals[is_new]])
    cells = fresh.by_host[is_new]
    added = np.nan_to_num(cells).sum(axis=0)
    slots = cells[:, :, SLOTS_COLUMN]
    added[:, SLOTS_COLUMN] = np.max(np.where(np.isnan(slots), 0.0, slots), axis=0, initial=0.0)
    names, sums = _together(known, fresh.hosts, added)
    return SlotSums(totals=totals[np.argsort(totals[:, AT])], hosts=names, by_host=sums)


def _is_covered(totals: Floats, row: Floats) -> bool:
    """Say whether an interval lies in one that is there, or one of those in it."""
    begins, ends = row[AT] - row[SECONDS], row[AT]
    return bool(((totals[:, AT] - totals[:, SECONDS] < ends) & (begins < totals[:, AT])).any())


def _together(
    known: SlotSums, hosts: tuple[str, ...], added: Floats
) -> tuple[tuple[str, ...], Floats]:
    names = tuple(sorted({*known.hosts, *hosts}))
    at = {name: place for place, name in enumerate(names)}
    sums = np.zeros((len(names), len(HOST)))
    slots = np.zeros(len(names))
    for told, cells in ((known.hosts, known.by_host), (hosts, added)):
        places = [at[each] for each in told]
        sums[places] += cells
        slots[places] = np.maximum(slots[places], cells[:, SLOTS_COLUMN])
    sums[:, SLOTS_COLUMN] = slots
    return names, sums


def is_active(sums: SlotSums) -> bool:
    """Say whether any host moved enough that it is worth a look."""
    if not sums.hosts:
        return False
    moved = sums.by_host[:, HOST.index("write_bytes")] + sums.by_host[:, HOST.index("read_bytes")]
    seconds = np.maximum(sums.by_host[:, HOST.index("seconds")], 1.0)
    return bool((moved / seconds > LEAST_HOST_BYTES_PER_SECOND).any())


def packed_totals(totals: Floats) -> bytes:
    """Return the intervals, compressed."""
    packed = zstandard.compress(totals.astype("<f8").tobytes(), LEVEL)
    return bytes([len(TOTALS)]) + packed


def totals_of(body: bytes | memoryview) -> Floats:
    """Return the intervals of a body; raise ValueError where it is none."""
    raw = bytes(body)
    if raw[:1] != bytes([ZSTD_MARK]):
        return np.frombuffer(_plain(raw[1:]), "<f8").reshape(-1, len(TOTALS))
    former = np.frombuffer(_plain(raw), "<f8").reshape(-1, FORMER_WIDTH)
    return np.pad(former, ((0, 0), (0, len(ADAPTERS))), constant_values=np.nan)


def packed_hosts(hosts: tuple[str, ...], by_host: Floats) -> bytes:
    """Return the sums by host, compressed."""
    names = json.dumps(hosts).encode()
    return zstandard.compress(names + b"\n" + by_host.astype("<f8").tobytes(), LEVEL)


def hosts_of(body: bytes | memoryview) -> tuple[tuple[str, ...], Floats]:
    """Return hosts and their sums; nothing of an empty body."""
    if not body:
        return (), EMPTY.by_host
    names, _, cells = _plain(body).partition(b"\n")
    return tuple(json.loads(names)), np.frombuffer(cells, "<f8").reshape(-1, len(HOST))


def _plain(body: bytes | memoryview) -> bytes:
    return zstandard.ZstdDecompressor().decompress(bytes(body), max_output_size=MOST_BYTES)
