"""Client-side queueing of a file system: requests that wait longer than they are served.

Many clients at once are one shared fault of the server, never one fault per client.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.file_server_signs import (
    SPAN_SECONDS,
    FileServerSign,
    file_server_signs,
    slow_name_signs,
)
from apps.diagnosis.detection.detector_state.persistence import Continuity, Spell, over, spells
from apps.diagnosis.detection.shared_kinds import SATURATED
from apps.diagnosis.model import Anomaly, Detector, Device, Frame, Layer, Notes, Role, Scene

# From this share of the clients, and this number, on it is the shared part.
SHARED_SHARE = 0.2
SHARED_HOSTS = 3
EPISODE_GAP_SECONDS = 300.0
# What late answers and backlog prove beside the queue.
SIGN_SCORE = 0.7


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    by_name = {frame.signal.name: frame for frame in frames}
    if not {"nfs.queue", "nfs.response"} <= by_name.keys():
        return ()
    queue = by_name["nfs.queue"]
    grid = (queue.start, queue.step, queue.values.shape[1])
    same = {
        name: frame
        for name, frame in by_name.items()
        if (frame.start, frame.step, frame.values.shape[1]) == grid
    }
    if "nfs.response" not in same:
        return ()
    signs = (*file_server_signs(same, notes), *slow_name_signs(same, notes))
    return tuple(anomaly for sign in signs for anomaly in _episodes(sign, notes))


def _episodes(sign: FileServerSign, notes: Notes) -> Iterator[Anomaly]:
    bridge = over(EPISODE_GAP_SECONDS, sign.frame)
    count = np.count_nonzero(sign.hot, axis=0)
    heard = np.count_nonzero(~np.isnan(sign.measure), axis=0)
    shared = ((count >= SHARED_HOSTS) & (count > SHARED_SHARE * heard))[None, :]
    subject = array_store.by_name(notes, sign.subject, sign.hosts)
    whole = array_store.by_name(notes, f"{sign.subject}/shared", [sign.export])
    rule = Continuity(window=1, at_least=1, bridge=bridge)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(sign.hot, sign.measure, 0.0).sum(axis=0) / count
    for spell in spells(notes, whole, sign.frame, shared, rule, (mean[None, :],)):
        yield _of_server(sign, spell, notes, subject)
    _note_saturated(sign, notes, subject)
    # What goes on for a while after the shared spell belongs to it.
    after = array_store.with_tail(notes, whole, "shared", shared, columns=bridge, fill=False)
    covered = stats.held(after, window=bridge + 1, at_least=1)[:, bridge:]
    rule = Continuity(window=2, at_least=2, bridge=bridge)
    alone = sign.hot & ~covered
    for spell in spells(notes, subject, sign.frame, alone, rule, (sign.measure,)):
        yield _anomaly(sign, spell, spell.means[0])


def _of_server(sign: FileServerSign, spell: Spell, notes: Notes, subject: str) -> Anomaly:
    last = array_store.array(notes, subject, "last", shape=(len(sign.hosts),), fill=np.nan)
    inside = sign.hot[:, spell.first : spell.end]
    hit = inside.any(axis=1) | (last >= spell.starts)
    hosts = tuple(sign.hosts[int(row)] for row in np.flatnonzero(hit))
    return replace(
        _anomaly(sign, spell, spell.means[0]),
        entity=Device(kind="server", name=sign.export.partition(":")[0] or sign.export),
        role=sign.frame.signal.role,
        causes=sign.frame.signal.causes,
        host_count=len(hosts),
        hosts=hosts,
    )


def _note_saturated(sign: FileServerSign, notes: Notes, subject: str) -> None:
    last = array_store.array(notes, subject, "last", shape=(len(sign.hosts),), fill=np.nan)
    newest = np.where(sign.hot, sign.frame.at, -np.inf).max(axis=1, initial=-np.inf)
    array_store.keep(notes, subject, last=np.where(np.isfinite(newest), newest, last))


def _anomaly(sign: FileServerSign, spell: Spell, value: float) -> Anomaly:
    signal = sign.frame.signal
    outside = sign.measure[~sign.hot & ~np.isnan(sign.measure)]
    return Anomaly(
        kind=SATURATED.name,
        signal=signal.name,
        family=signal.family,
        layer=Layer.STORAGE,
        entity=Device(kind="mount", host=sign.hosts[spell.row], name=sign.export),
        starts_at=spell.starts_at,
        ends_at=spell.ends_at,
        noticed_at=spell.noticed_at,
        score=min(1.0, value) if sign.unit == "ratio" else SIGN_SCORE,
        value=value,
        baseline=float(np.median(outside)) if len(outside) else None,
        unit=sign.unit,
        role=Role.CONFIRMATION if sign.alone else Role.CONTEXT,
        causes=sign.alone or signal.causes,
        resolution_seconds=SPAN_SECONDS,
        detail=sign.export,
    )


SATURATION = Detector(
    name="saturation",
    meaning="clients wait for a file server longer than it works",
    notice=_notice,
    kinds=(SATURATED,),
    order=4,
)
