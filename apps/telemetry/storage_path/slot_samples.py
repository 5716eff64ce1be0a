"""Frames of NFS counters → what each mount did in each scrape interval, by slots of five minutes.

Plain arrays: no rows, no clock. What a host does not tell is left out, never a zero of its own.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.model import Frame
from apps.diagnosis.stats import Mask
from apps.telemetry.storage_path.adapter_samples import carried_by_host, grown_between

Floats = NDArray[np.float64]
SLOT_SECONDS: Final = 300
# Sums of counters over an interval, in this order: bytes, requests, seconds, queue lengths.
COUNTED: Final = (
    *("write_bytes", "read_bytes"),
    *("write_requests", "write_queue", "write_response", "write_request"),
    *("read_requests", "read_queue", "read_response", "read_request"),
    *("backlog", "sends"),
)
# Of those hosts that use the mount and tell what their adapters carry: how many, bytes of all of
# them, and the most of one. NaN where none tells.
ADAPTERS: Final = (
    *("adapter_hosts", "adapter_sent", "adapter_received"),
    *("adapter_most_sent", "adapter_most_received"),
)
TOTALS: Final = ("at", "seconds", "host_count", "utilization", *COUNTED, *ADAPTERS)
HOST: Final = ("seconds", "slots", *COUNTED)
MOST_MOUNTS: Final = 16
OPERATIONS: Final = {"WRITE": "write", "READ": "read"}
BY_OPERATION: Final = {
    "nfs.requests": "requests",
    "nfs.queue": "queue",
    "nfs.response": "response",
    "nfs.request": "request",
}
BY_MOUNT: Final = {
    "nfs.server_written": "write_bytes",
    "nfs.server_read": "read_bytes",
    "nfs.backlog": "backlog",
    "nfs.sends": "sends",
}
# With headers: for exporters that tell no bytes of the mount as a whole.
WITH_HEADERS: Final = {
    ("nfs.sent_bytes", "WRITE"): "write_bytes",
    ("nfs.received_bytes", "READ"): "read_bytes",
}
HEADER_SIGNALS: Final = frozenset(name for name, _ in WITH_HEADERS)
SLOTS: Final = "nfs.slots"
UTILIZATION: Final = (
    "gpu.utilisation",
    "smi.utilisation",
    "allsmi.utilisation",
    "gpud.utilisation",
)
SIGNALS: Final = (*BY_OPERATION, *BY_MOUNT, *sorted(HEADER_SIGNALS), SLOTS)
LEAST_HOST_BYTES_PER_SECOND: Final = 10e6  # what a host moves beside any save or load is less


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotSamples:
    """One mount in one slot. `totals` (intervals, TOTALS); `by_host` (intervals, hosts, HOST)."""

    mount: str
    starts_at: int  # Unix seconds
    totals: Floats
    hosts: tuple[str, ...]
    by_host: Floats


def slot_samples(
    *, frames: Sequence[Frame], utilization: Frame | None, grid: Grid
) -> Iterator[SlotSamples]:
    """Yield what the mounts did. The grid's first instant is only where the counters begin."""
    busy, carried = _utilization(utilization, grid), carried_by_host(frames)
    for mount, (hosts, cells) in _by_mount(frames, grid).items():
        at = grid.start + grid.step * np.arange(1, grid.count)
        told = ~np.isnan(cells[:, :, 2:]).all(axis=2)
        cells[:, :, 0] = np.where(told, grid.step, 0.0)
        cells[:, :, 2:] = np.nan_to_num(cells[:, :, 2:])
        moved = _moved(cells) > LEAST_HOST_BYTES_PER_SECOND * grid.step
        totals = np.column_stack(
            [
                *(at, np.full(len(at), grid.step), told.sum(axis=1), busy),
                cells[:, :, 2:].sum(axis=1),
                _adapters(hosts, moved, carried),
            ]
        )
        # An interval belongs to the slot in which it begins.
        slot = ((at - grid.step) // SLOT_SECONDS).astype(int) * SLOT_SECONDS
        for start in np.unique(slot).tolist():
            inside: Mask = (slot == start) & np.any(told, axis=1)
            if np.any(inside):
                yield SlotSamples(
                    mount=mount,
                    starts_at=start,
                    totals=totals[inside],
                    hosts=hosts,
                    by_host=cells[inside],
                )


def _moved(cells: Floats) -> Floats:
    """Return bytes by interval and host, both ways together."""
    columns = [HOST.index("write_bytes"), HOST.index("read_bytes")]
    moved: Floats = cells[:, :, columns].sum(axis=2)
    return moved


def _adapters(hosts: tuple[str, ...], moved: Mask, carried: Mapping[str, Floats]) -> Floats:
    """Return the columns of ADAPTERS, shape (intervals, 5)."""
    none = np.full((2, len(moved)), np.nan)
    both = np.stack([carried.get(host, none) for host in hosts], axis=2)
    both = np.where(moved[None], both, np.nan)
    told = ~np.isnan(both)
    count = told.any(axis=0).sum(axis=1)
    sums = np.where(told, both, 0.0).sum(axis=2)
    most = np.where(told, both, 0.0).max(axis=2, initial=0.0)
    columns = np.column_stack([count, *sums, *most])
    return np.where(count[:, None] > 0, columns, np.nan)


def _by_mount(frames: Sequence[Frame], grid: Grid) -> dict[str, tuple[tuple[str, ...], Floats]]:
    """Return mount → its hosts and their cells, shape (intervals, hosts, HOST)."""
    rows: dict[str, dict[str, dict[str, Floats]]] = defaultdict(lambda: defaultdict(dict))
    spare: dict[str, dict[str, dict[str, Floats]]] = defaultdict(lambda: defaultdict(dict))
    for frame in frames:
        found = spare if frame.signal.name in HEADER_SIGNALS else rows
        for number, device in enumerate(frame.entities):
            detail = frame.details[number] if number < len(frame.details) else ""
            column = _column(frame.signal.name, detail)
            if column and device.host:
                cells, grown = found[device.name or ""][device.host], _grown(frame, number)
                # A mount over several transports: their sums.
                cells[column] = cells[column] + grown if column in cells else grown
    for mount, by_host in spare.items():
        for host, cells in by_host.items():
            rows[mount][host] = {**cells, **rows[mount][host]}
    return {mount: _table(rows[mount], grid.count - 1) for mount in sorted(rows)[:MOST_MOUNTS]}


def _table(
    by_host: Mapping[str, Mapping[str, Floats]], count: int
) -> tuple[tuple[str, ...], Floats]:
    hosts = tuple(sorted(by_host))
    cells = np.full((count, len(hosts), len(HOST)), np.nan)
    for number, host in enumerate(hosts):
        for column, values in by_host[host].items():
            cells[:, number, HOST.index(column)] = values
    return hosts, cells


def _column(signal: str, detail: str) -> str:
    if signal in BY_MOUNT:
        return BY_MOUNT[signal]
    if signal == SLOTS:
        return "slots"
    if signal in BY_OPERATION and detail in OPERATIONS:
        return f"{OPERATIONS[detail]}_{BY_OPERATION[signal]}"
    return WITH_HEADERS.get((signal, detail), "")


def _grown(frame: Frame, row: int) -> Floats:
    """Return what a counter grew in each interval; one that fell began anew. A gauge as it is."""
    values: Floats = frame.values[row]
    later: Floats = values[1:]
    if frame.signal.name == SLOTS:
        return later
    return grown_between(values)


def _utilization(frame: Frame | None, grid: Grid) -> Floats:
    """Return the mean over all GPUs at each instant but the first; NaN where nobody tells."""
    busy = np.full(grid.count - 1, np.nan)
    if frame is None or not frame.values.size:
        return busy
    known = ~np.isnan(frame.values)
    sums = np.where(known, frame.values, 0.0).sum(axis=0)
    counts = known.sum(axis=0)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    places = np.rint((frame.at - grid.start) / grid.step).astype(int) - 1
    inside = (places >= 0) & (places < len(busy))
    busy[places[inside]] = means[inside]
    return busy
