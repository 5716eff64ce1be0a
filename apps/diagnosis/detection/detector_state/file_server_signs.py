"""What the clients of a file server show: waiting, late answers, a backlog, slow names."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.levels import grown
from apps.diagnosis.detection.detector_state.persistence import over
from apps.diagnosis.detection.detector_state.slow_answers import is_late
from apps.diagnosis.model import Device, Frame, Notes

# Waiting is more than half of the whole time, and more than 10 ms a request.
QUEUE_SHARE = 0.5
WAIT_SECONDS = 0.010
# And of more than ten requests a second, as Algalon asks: a few that wait hold up nobody.
REQUESTS_A_SECOND = 10.0
# Looked at over this span: a checkpoint writes in bursts.
SPAN_SECONDS = 120.0
# A server answers late when it takes half as long again as it usually does, and 5 ms more.
LATE, LATE_SECONDS = 1.5, 0.005
# Requests about names and attributes are slow at three times their usual time and 50 ms more.
SLOW, SLOW_SECONDS = 3.0, 0.050
AMOUNTS = frozenset({"nfs.queue", "nfs.response", "nfs.requests", "nfs.backlog"})
# Each request found at least one before it in line for a slot. The counter adds up over sends.
BACKLOG = 1.0
# A client that alone waits for names is in trouble itself: with pages written out in bursts it
# was the published picture of a GPU that faulted.
SLOW_ALONE = ("slow-member",)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileServerSign:
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


def file_server_signs(frames: Mapping[str, Frame], notes: Notes) -> Iterator[FileServerSign]:
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


def slow_name_signs(frames: Mapping[str, Frame], notes: Notes) -> Iterator[FileServerSign]:
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
        yield FileServerSign(
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
) -> FileServerSign:
    """Say where requests wait for more than half of their time, and for long."""
    queued = amount["nfs.queue"]
    total = queued + amount["nfs.response"]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(total > 0, queued / total, np.where(np.isnan(total), np.nan, 0.0))
        hot = share > QUEUE_SHARE
        if "nfs.requests" in amount:
            made = amount["nfs.requests"]
            hot &= (made > REQUESTS_A_SECOND * SPAN_SECONDS) & (queued / made > WAIT_SECONDS)
    return FileServerSign(
        frame=frame, export=export, hosts=hosts, measure=share, hot=hot, unit="ratio"
    )


def _late_answers(
    frame: Frame, queue: FileServerSign, amount: Mapping[str, stats.Floats], notes: Notes
) -> FileServerSign:
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


def _backlog(
    frame: Frame, queue: FileServerSign, amount: Mapping[str, stats.Floats]
) -> FileServerSign:
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
