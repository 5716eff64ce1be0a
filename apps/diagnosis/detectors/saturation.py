"""Client-side queueing of a file system: requests that wait longer than they are served.

Many clients at once are one shared fault of the server, never one fault per client.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.carried import kept
from apps.diagnosis.carried.levels import grown
from apps.diagnosis.carried.spells import Continuity, Spell, over, spells
from apps.diagnosis.model import Anomaly, Detector, Device, Frame, Layer, Notes, Role, Scene

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

    queue: Frame
    export: str
    hosts: tuple[str, ...]
    share: stats.Floats
    saturated: stats.Mask

    @property
    def subject(self) -> str:
        """Its name in the notes."""
        return f"saturation/{self.queue.signal.name}/{self.export}"


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    by_name = {frame.signal.name: frame for frame in frames}
    if not {"nfs.queue", "nfs.response"} <= by_name.keys():
        return ()
    queue, response = by_name["nfs.queue"], by_name["nfs.response"]
    if (queue.start, queue.values.shape[1]) != (response.start, response.values.shape[1]):
        return ()
    mounts = _mounts(notes, queue, response, by_name.get("nfs.requests"))
    return tuple(anomaly for mount in mounts for anomaly in _episodes(mount, notes))


def _mounts(
    notes: Notes, queue: Frame, response: Frame, requests: Frame | None
) -> Iterator[_Mount]:
    waited, served = _spent(queue, notes), _spent(response, notes)
    count = _spent(requests, notes) if requests else None
    for export in sorted({name for _, name in waited}):
        hosts = sorted(host for host, name in waited if name == export and (host, name) in served)
        if not hosts:
            continue
        keys = [(host, export) for host in hosts]
        queued = np.stack([waited[key] for key in keys])
        total = queued + np.stack([served[key] for key in keys])
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(total > 0, queued / total, np.where(np.isnan(total), np.nan, 0.0))
            saturated = share > QUEUE_SHARE
            if count is not None:
                made = np.stack([count.get(key, np.full_like(queued[0], np.nan)) for key in keys])
                saturated &= (made > 0) & (queued / made > WAIT_SECONDS)
        yield _Mount(
            queue=queue, export=export, hosts=tuple(hosts), share=share, saturated=saturated
        )


def _spent(frame: Frame, notes: Notes) -> dict[tuple[str, str], stats.Floats]:
    """Return what each (host, export) spent in the span before each column, all operations."""
    growth, _, _ = grown(frame, notes)
    width = over(SPAN_SECONDS, frame)
    subject = f"saturation/{frame.signal.name}"
    joined = kept.with_tail(notes, subject, "growth", growth, columns=width - 1, fill=np.nan)
    recent = np.nansum(np.lib.stride_tricks.sliding_window_view(joined, width, axis=1), axis=-1)
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, entity in enumerate(frame.entities):
        rows[entity.host or "", entity.name or ""].append(row)
    return {
        key: np.where(np.isnan(growth[members]).all(axis=0), np.nan, recent[members].sum(axis=0))
        for key, members in rows.items()
    }


def _episodes(mount: _Mount, notes: Notes) -> Iterator[Anomaly]:
    bridge = over(EPISODE_GAP_SECONDS, mount.queue)
    count = np.count_nonzero(mount.saturated, axis=0)
    heard = np.count_nonzero(~np.isnan(mount.share), axis=0)
    shared = ((count >= SHARED_HOSTS) & (count > SHARED_SHARE * heard))[None, :]
    subject = kept.by_name(notes, mount.subject, mount.hosts)
    whole = kept.by_name(notes, f"{mount.subject}/shared", [mount.export])
    rule = Continuity(window=1, at_least=1, bridge=bridge)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(mount.saturated, mount.share, 0.0).sum(axis=0) / count
    for spell in spells(notes, whole, mount.queue, shared, rule, (mean[None, :],)):
        yield _of_server(mount, spell, notes, subject)
    _note_saturated(mount, notes, subject)
    # What goes on for a while after the shared spell belongs to it.
    after = kept.with_tail(notes, whole, "shared", shared, columns=bridge, fill=False)
    covered = stats.held(after, window=bridge + 1, at_least=1)[:, bridge:]
    rule = Continuity(window=2, at_least=2, bridge=bridge)
    alone = mount.saturated & ~covered
    for spell in spells(notes, subject, mount.queue, alone, rule, (mount.share,)):
        yield _anomaly(mount, spell, spell.means[0])


def _of_server(mount: _Mount, spell: Spell, notes: Notes, subject: str) -> Anomaly:
    last = kept.array(notes, subject, "last", shape=(len(mount.hosts),), fill=np.nan)
    inside = mount.saturated[:, spell.first : spell.end]
    hit = inside.any(axis=1) | (last >= spell.starts)
    hosts = tuple(mount.hosts[int(row)] for row in np.flatnonzero(hit))
    return replace(
        _anomaly(mount, spell, spell.means[0]),
        entity=Device(kind="server", name=mount.export.partition(":")[0] or mount.export),
        role=mount.queue.signal.role,
        host_count=len(hosts),
        hosts=hosts,
    )


def _note_saturated(mount: _Mount, notes: Notes, subject: str) -> None:
    last = kept.array(notes, subject, "last", shape=(len(mount.hosts),), fill=np.nan)
    newest = np.where(mount.saturated, mount.queue.at, -np.inf).max(axis=1, initial=-np.inf)
    kept.keep(notes, subject, last=np.where(np.isfinite(newest), newest, last))


def _anomaly(mount: _Mount, spell: Spell, share: float) -> Anomaly:
    signal = mount.queue.signal
    outside = mount.share[~mount.saturated & ~np.isnan(mount.share)]
    return Anomaly(
        kind="saturation",
        signal=signal.name,
        family=signal.family,
        layer=Layer.STORAGE,
        entity=Device(kind="mount", host=mount.hosts[spell.row], name=mount.export),
        starts_at=spell.starts_at,
        ends_at=spell.ends_at,
        noticed_at=spell.noticed_at,
        score=share,
        value=share,
        baseline=float(np.median(outside)) if len(outside) else None,
        unit="ratio",
        role=Role.CONTEXT,
        causes=signal.causes,
        resolution_seconds=SPAN_SECONDS,
        detail=mount.export,
    )


SATURATION = Detector(
    name="saturation", meaning="clients wait for a file server longer than it works", notice=_notice
)
