"""Client-side queueing of a file system: requests that wait longer than they are served.

Many clients at once are one shared fault of the server, never one fault per client.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.levels import grown
from apps.diagnosis.detection.detector_state.persistence import Continuity, Spell, over, spells
from apps.diagnosis.detection.detector_state.shared_kinds import SATURATED
from apps.diagnosis.detection.detector_state.slow_answers import is_late
from apps.diagnosis.model import Anomaly, Detector, Device, Frame, Layer, Notes, Role, Scene

# Waiting is more than half of the whole time, and more than 10 ms a request.
QUEUE_SHARE = 0.5
WAIT_SECONDS = 0.010
# And of more than ten requests a second, as Algalon asks: a few that wait hold up nobody.
REQUESTS_A_SECOND = 10.0
# Looked at over this span: a checkpoint writes in bursts.
SPAN_SECONDS = 120.0
# From this share of the clients, and this number, on it is the shared part.
SHARED_SHARE = 0.2
SHARED_HOSTS = 3
EPISODE_GAP_SECONDS = 300.0
# A server answers late when it takes half as long again as it usually does, and 5 ms more.
LATE, LATE_SECONDS = 1.5, 0.005
# Requests about names and attributes are slow at three times their usual time and 50 ms more.
SLOW, SLOW_SECONDS = 3.0, 0.050
AMOUNTS = frozenset({"nfs.queue", "nfs.response", "nfs.requests", "nfs.backlog"})
# Each request found at least one before it in line for a slot. The counter adds up over sends.
BACKLOG = 1.0
# What late answers and backlog prove beside the queue.
SIGN_SCORE = 0.7
# A client that alone waits for names is in trouble itself: with pages written out in bursts it
# was the published picture of a GPU that faulted (published-results.md 1.7, gpu096).
SLOW_ALONE = ("slow-member",)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sign:
    """What one quantity of a file system shows on all its clients: shape (clients, times)."""

    frame: Frame  # of the signal that is told
    export: str
    hosts: tuple[str, ...]
    measure: stats.Floats
    hot: stats.Mask
    unit: str
    alone: tuple[str, ...] = ()  # what it speaks for on one client, while others are served

    @property
    def subject(self) -> str:
        """Its name in the notes."""
        return f"saturation/{self.frame.signal.name}/{self.export}"


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
    signs = (*_signs(same, notes), *_slow_names(same, notes))
    return tuple(anomaly for sign in signs for anomaly in _episodes(sign, notes))


def _signs(frames: Mapping[str, Frame], notes: Notes) -> Iterator[_Sign]:
    """Yield what each file system shows: waiting, and beside it late answers and backlog."""
    spent = {name: _spent(frame, notes) for name, frame in frames.items() if name in AMOUNTS}
    waited, served = spent["nfs.queue"], spent["nfs.response"]
    for export in sorted({name for _, name in waited}):
        hosts = sorted(host for host, name in waited if name == export and (host, name) in served)
        if not hosts:
            continue
        keys = [(host, export) for host in hosts]
        amount = {name: _stacked(each, keys) for name, each in spent.items()}
        queue = _waiting(frames["nfs.queue"], export, tuple(hosts), amount)
        yield queue
        if "nfs.requests" in amount:
            yield _late_answers(frames["nfs.response"], queue, amount, notes)
            if "nfs.backlog" in amount:
                yield _backlog(frames["nfs.backlog"], queue, amount)


def _slow_names(frames: Mapping[str, Frame], notes: Notes) -> Iterator[_Sign]:
    """Yield where requests about names and attributes take many times as long as usual.

    Each operation is compared with itself; of a mount the slowest counts.
    """
    names = ("nfs.metadata.response", "nfs.metadata.requests")
    if not all(name in frames for name in names):
        return
    frame = frames[names[0]]
    place = {key: row for row, key in enumerate(_rows(frames[names[1]]))}
    rows = [place.get(key, -1) for key in _rows(frame)]
    nothing = np.full((1, frame.values.shape[1]), np.nan)
    made = np.concatenate((_recent(frames[names[1]], notes), nothing))[rows]
    with np.errstate(invalid="ignore", divide="ignore"):
        each = np.where(made > 0, _recent(frame, notes) / made, np.nan)
    subject = f"saturation/{frame.signal.name}"
    slow = is_late(notes, subject, frame, each, (SLOW, SLOW_SECONDS), None)
    mounts: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row, entity in enumerate(frame.entities):
        mounts[entity.name or ""][entity.host or ""].append(row)
    for export in sorted(mounts):
        hosts = tuple(sorted(mounts[export]))
        members = [mounts[export][host] for host in hosts]
        worst = [np.fmax.reduce(np.where(slow[of], each[of], np.nan), axis=0) for of in members]
        yield _Sign(
            frame=frame,
            export=export,
            hosts=hosts,
            measure=np.stack(worst),
            hot=np.stack([slow[of].any(axis=0) for of in members]),
            unit="seconds",
            alone=SLOW_ALONE,
        )


def _rows(frame: Frame) -> Iterator[tuple[Device, str]]:
    details = frame.details or ("",) * len(frame.entities)
    return zip(frame.entities, details, strict=True)


def _stacked(
    spent: Mapping[tuple[str, str], stats.Floats], keys: Sequence[tuple[str, str]]
) -> stats.Floats:
    some = next(iter(spent.values()), np.empty(0))
    return np.stack([spent.get(key, np.full_like(some, np.nan)) for key in keys])


def _waiting(
    frame: Frame, export: str, hosts: tuple[str, ...], amount: Mapping[str, stats.Floats]
) -> _Sign:
    """Say where requests wait for more than half of their time, and for long."""
    queued = amount["nfs.queue"]
    total = queued + amount["nfs.response"]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(total > 0, queued / total, np.where(np.isnan(total), np.nan, 0.0))
        hot = share > QUEUE_SHARE
        if "nfs.requests" in amount:
            made = amount["nfs.requests"]
            hot &= (made > REQUESTS_A_SECOND * SPAN_SECONDS) & (queued / made > WAIT_SECONDS)
    return _Sign(frame=frame, export=export, hosts=hosts, measure=share, hot=hot, unit="ratio")


def _late_answers(
    frame: Frame, queue: _Sign, amount: Mapping[str, stats.Floats], notes: Notes
) -> _Sign:
    """Say where the server answers later than usual while requests wait: it is busy itself.

    Answers as ever speak for the client: for its slots, not for the server.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        took = np.where(
            amount["nfs.requests"] > 0, amount["nfs.response"] / amount["nfs.requests"], np.nan
        )
    subject = array_store.by_name(notes, f"{queue.subject}/answers", queue.hosts)
    hot = is_late(notes, subject, frame, took, (LATE, LATE_SECONDS), queue.hot)
    return replace(queue, frame=frame, measure=took, hot=hot, unit="seconds")


def _backlog(frame: Frame, queue: _Sign, amount: Mapping[str, stats.Floats]) -> _Sign:
    """Say where requests found others before them in line for a slot, while requests wait."""
    with np.errstate(invalid="ignore", divide="ignore"):
        length = np.where(
            amount["nfs.requests"] > 0, amount["nfs.backlog"] / amount["nfs.requests"], np.nan
        )
        hot = queue.hot & (length > BACKLOG)
    return replace(queue, frame=frame, measure=length, hot=hot, unit="requests")


def _spent(frame: Frame, notes: Notes) -> dict[tuple[str, str], stats.Floats]:
    """Return what each (host, export) spent in the span before each column, all operations."""
    growth, _, _ = grown(frame, notes)
    recent = _recent(frame, notes)
    rows: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, entity in enumerate(frame.entities):
        rows[entity.host or "", entity.name or ""].append(row)
    return {
        key: np.where(np.isnan(growth[of]).all(axis=0), np.nan, recent[of].sum(axis=0))
        for key, of in rows.items()
    }


def _recent(frame: Frame, notes: Notes) -> stats.Floats:
    """Return the growth of each row in the span before each column."""
    growth, _, _ = grown(frame, notes)
    width = over(SPAN_SECONDS, frame)
    subject = f"saturation/{frame.signal.name}"
    joined = array_store.with_tail(notes, subject, "growth", growth, columns=width - 1, fill=np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(joined, width, axis=1)
    recent: stats.Floats = np.nansum(windows, axis=-1)
    return recent


def _episodes(sign: _Sign, notes: Notes) -> Iterator[Anomaly]:
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


def _of_server(sign: _Sign, spell: Spell, notes: Notes, subject: str) -> Anomaly:
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


def _note_saturated(sign: _Sign, notes: Notes, subject: str) -> None:
    last = array_store.array(notes, subject, "last", shape=(len(sign.hosts),), fill=np.nan)
    newest = np.where(sign.hot, sign.frame.at, -np.inf).max(axis=1, initial=-np.inf)
    array_store.keep(notes, subject, last=np.where(np.isfinite(newest), newest, last))


def _anomaly(sign: _Sign, spell: Spell, value: float) -> Anomaly:
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
