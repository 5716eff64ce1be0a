"""Client-side queueing of a file system: requests that wait longer than they are served.

Many clients at once are one shared fault of the server, never one fault per client.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.model import Anomaly, Detector, Device, Frame, Layer, Role, Scene, Signal

# Waiting is more than half of the whole time, and more than 10 ms a request.
QUEUE_SHARE = 0.5
WAIT_SECONDS = 0.010
# Looked at over this span: a checkpoint writes in bursts.
SPAN_SECONDS = 120.0
# From this share of the clients, and this number, on it is the shared part.
SHARED_SHARE = 0.2
SHARED_HOSTS = 3
EPISODE_GAP_SECONDS = 300.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Mount:
    """One file system as all its clients see it: shape (clients, times)."""

    signal: Signal
    export: str
    clients: tuple[Device, ...]
    share: stats.Floats
    saturated: stats.Mask
    start: float
    step: float


def _detect(frames: Sequence[Frame], _scene: Scene) -> tuple[Anomaly, ...]:
    by_name = {frame.signal.name: frame for frame in frames}
    if not {"nfs.queue", "nfs.response"} <= by_name.keys():
        return ()
    mounts = _mounts(by_name["nfs.queue"], by_name["nfs.response"], by_name.get("nfs.requests"))
    return tuple(anomaly for mount in mounts for anomaly in _episodes(mount))


def _mounts(queue: Frame, response: Frame, requests: Frame | None) -> Iterator[_Mount]:
    waited, served = _spent(queue), _spent(response)
    count = _spent(requests) if requests else None
    for export in sorted({name for _, name in waited}):
        keys = sorted(
            (host, name) for host, name in waited if name == export and (host, name) in served
        )
        if not keys:
            continue
        queued = np.stack([waited[key] for key in keys])
        total = queued + np.stack([served[key] for key in keys])
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(total > 0, queued / total, np.where(np.isnan(total), np.nan, 0.0))
            saturated = share > QUEUE_SHARE
            if count is not None:
                made = np.stack([count.get(key, np.full_like(queued[0], np.nan)) for key in keys])
                saturated &= (made > 0) & (queued / made > WAIT_SECONDS)
        clients = tuple(Device(kind="mount", host=host, name=name) for host, name in keys)
        yield _Mount(
            signal=queue.signal,
            export=export,
            clients=clients,
            share=share,
            saturated=saturated,
            start=queue.start,
            step=queue.step,
        )


def _spent(frame: Frame) -> dict[tuple[str, str], stats.Floats]:
    """Return what each (host, export) spent in the span before each column, all operations."""
    grown = stats.increases(stats.without_blanks(frame.values))
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, entity in enumerate(frame.entities):
        rows[entity.host or "", entity.name or ""].append(row)
    width = max(1, math.ceil(SPAN_SECONDS / frame.step))
    spent = {}
    for key, members in rows.items():
        known = ~np.isnan(grown[members]).all(axis=0)
        total = np.cumsum(np.nansum(grown[members], axis=0))
        recent = total.copy()
        recent[width:] -= total[:-width]
        spent[key] = np.where(known, recent, np.nan)
    return spent


def _episodes(mount: _Mount) -> Iterator[Anomaly]:
    bridge = math.ceil(EPISODE_GAP_SECONDS / mount.step)
    count = np.count_nonzero(mount.saturated, axis=0)
    heard = np.count_nonzero(~np.isnan(mount.share), axis=0)
    shared = (count >= SHARED_HOSTS) & (count > SHARED_SHARE * heard)
    covered = np.zeros_like(shared)
    for _, first, end in stats.runs(shared[None, :], bridge=bridge):
        # The few clients that were first belong to it.
        covered[max(0, first - bridge) : end + bridge] = True
        hit: stats.Mask = np.any(mount.saturated[:, first:end], axis=1)
        name = mount.export.partition(":")[0] or mount.export
        whole = _anomaly(mount, hit, first, end)
        yield replace(
            whole,
            entity=Device(kind="server", name=name),
            role=mount.signal.role,
            host_count=int(hit.sum()),
            detail=mount.export,
        )
    for row, first, end in stats.runs(mount.saturated & ~covered, bridge=bridge):
        if end - first >= 2:
            alone = np.zeros(len(mount.clients), dtype=np.bool_)
            alone[row] = True
            yield _anomaly(mount, alone, first, end)


def _anomaly(mount: _Mount, rows: stats.Mask, first: int, end: int) -> Anomaly:
    inside = np.where(mount.saturated, mount.share, np.nan)[rows, first:end]
    outside = np.where(mount.saturated, np.nan, mount.share)
    usual = float(np.nanmedian(outside)) if not np.isnan(outside).all() else None
    return Anomaly(
        kind="saturation",
        signal=mount.signal.name,
        family=mount.signal.family,
        layer=Layer.STORAGE,
        entity=mount.clients[int(np.flatnonzero(rows)[0])],
        starts_at=datetime.fromtimestamp(mount.start + first * mount.step, UTC),
        ends_at=datetime.fromtimestamp(mount.start + end * mount.step, UTC),
        score=float(np.nanmedian(inside)),
        value=float(np.nanmedian(inside)),
        baseline=usual,
        unit="ratio",
        role=Role.CONTEXT,
        causes=mount.signal.causes,
        resolution_seconds=SPAN_SECONDS,
        detail=mount.export,
    )


SATURATION = Detector(
    name="saturation", meaning="clients wait for a file server longer than it works", detect=_detect
)
