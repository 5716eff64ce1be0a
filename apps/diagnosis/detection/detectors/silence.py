"""Series that were there and are gone: a GPU, an exporter or a whole host that fell silent.

Asked in this order: is the whole source gone (nobody is blamed), does the host still speak through
this exporter (the part is gone), through another one (the exporter is), through none (the host is).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.levels import cleaned
from apps.diagnosis.detection.detector_state.persistence import over
from apps.diagnosis.model import (
    Anomaly,
    AnomalyKind,
    Detector,
    Device,
    Frame,
    Layer,
    Notes,
    Role,
    Scene,
)

# One missed scrape is nothing; three in a row, and at least a minute and a half, are.
MISSED_SAMPLES = 3
MISSED_SECONDS = 90.0
# With fewer than this share of an exporter's series left the source is gone, not the hosts.
SOURCE_SHARE = 0.2
SINCE, NOTICED, KIND = range(3)
SOURCE, PART, EXPORTER, NODE, UNSURE, TOLD = range(6)


class _Presence:
    """When each entity of one frame was heard, with a little of the block before."""

    def __init__(self, frame: Frame, notes: Notes) -> None:
        self.frame = frame
        self.subject = f"silence/{frame.signal.name}"
        self.least = max(MISSED_SAMPLES, over(MISSED_SECONDS, frame))
        heard = ~np.isnan(cleaned(frame, notes))
        self.heard = array_store.with_tail(
            notes, self.subject, "heard", heard, columns=self.least - 1, fill=False
        )
        self.rows: dict[str | None, list[int]] = defaultdict(list)
        for row, entity in enumerate(frame.entities):
            self.rows[entity.host].append(row)
        count = array_store.array(notes, self.subject, "count", shape=(len(heard),), fill=0)
        counts = count[:, None] + np.cumsum(heard, axis=1)
        self.missing = ~heard & (counts >= MISSED_SAMPLES)
        if heard.shape[1]:
            array_store.keep(notes, self.subject, count=np.minimum(counts[:, -1], MISSED_SAMPLES))

    def spoke(self, host: str | None, until: float) -> bool | None:
        """Say whether the host was heard in the last two columns; None when it never is here."""
        rows = self.rows.get(host)
        if not rows:
            return None
        end = round((until - self.frame.start) / self.frame.step) + self.least
        return bool(self.heard[rows, max(0, end - 2) : end].any())

    def share(self, first: int, end: int) -> float:
        """Return the share of rows heard in columns counted with the tail."""
        return float(self.heard[:, first:end].any(axis=1).mean())


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    seen = [_Presence(frame, notes) for frame in frames]
    return tuple(anomaly for presence in seen for anomaly in _silences(presence, seen, notes))


def _silences(presence: _Presence, seen: Sequence[_Presence], notes: Notes) -> Iterator[Anomaly]:
    """Yield each silence that begins, goes on or ends in this block."""
    rows = len(presence.missing)
    open_ = array_store.array(notes, presence.subject, "open", shape=(rows, 3), fill=np.nan).copy()
    told: set[tuple[str | None, float]] = set()
    for row in np.flatnonzero(presence.missing.any(axis=1) | ~np.isnan(open_[:, SINCE])).tolist():
        for since, noticed, kind, ends in _of_row(presence, row, open_[row], seen):
            host = presence.frame.entities[row].host
            if kind in {SOURCE, TOLD} or (kind != PART and (host, since) in told):
                continue
            told.add((host, since) if kind != PART else ("", float(row)))
            yield _anomaly(presence.frame, row, since, noticed, int(kind), ends)
    array_store.keep(notes, presence.subject, open=open_)


def _of_row(
    presence: _Presence, row: int, state: stats.Floats, seen: Sequence[_Presence]
) -> Iterator[tuple[float, float, float, float | None]]:
    """Yield (since, noticed, kind, end) of each silence of a row; leave in `state` what is open."""
    frame, missing = presence.frame, presence.missing[row]
    edges = np.flatnonzero(np.diff(np.concatenate(([False], missing, [False]))))
    spans = [(int(edges[i]), int(edges[i + 1])) for i in range(0, len(edges), 2)]
    if not np.isnan(state[SINCE]) and (not spans or spans[0][0] > 0):
        spans.insert(0, (0, 0))
    for first, end in spans:
        if first > 0 or np.isnan(state[SINCE]):
            state[:] = frame.start + first * frame.step, np.nan, np.nan
        since = float(state[SINCE])
        enough = since + (presence.least - 1) * frame.step
        is_over = end < len(missing)
        if np.isnan(state[NOTICED]) and frame.start + (end - 0.5) * frame.step > enough:
            state[NOTICED], state[KIND] = enough, _kind(presence, row, enough, seen)
        if not np.isnan(state[NOTICED]):
            ends = frame.start + end * frame.step if is_over else None
            yield since, float(state[NOTICED]), float(state[KIND]), ends
        if is_over:
            state[:] = np.nan


def _kind(presence: _Presence, row: int, noticed: float, seen: Sequence[_Presence]) -> int:
    """Say what fell silent, from what was heard up to the instant at which it is noticed."""
    frame = presence.frame
    entity = frame.entities[row]
    end = round((noticed - frame.start) / frame.step) + presence.least
    if presence.share(end - presence.least, end) < SOURCE_SHARE:
        return SOURCE
    others = [each for each in presence.rows[entity.host] if each != row]
    if entity.kind != "node" and presence.heard[others, end - presence.least : end].any():
        return PART
    is_node = entity.kind == "node"
    answers = {
        other.spoke(entity.host, noticed)
        for other in seen
        if other is not presence and (is_node or other.frame.signal.entity == "node")
    }
    if True in answers:
        return EXPORTER
    if is_node:
        return NODE
    return TOLD if False in answers else UNSURE  # the host's own exporter tells of the host


def _anomaly(
    frame: Frame, row: int, since: float, noticed: float, kind: int, ends: float | None
) -> Anomaly:
    entity = frame.entities[row]
    detail = {PART: "part", EXPORTER: "exporter"}.get(kind, "node")
    causes = {"part": ("gpu-off-bus",), "node": ("node-unreachable",), "exporter": ()}
    role = {EXPORTER: Role.CONTEXT, UNSURE: Role.CONFIRMATION}.get(kind, Role.INITIATING)
    return Anomaly(
        kind=SILENT.name,
        signal=frame.signal.name,
        family="presence",
        layer=Layer.GPU if kind == PART else Layer.HOST,
        entity=entity if kind == PART else Device(kind="node", host=entity.host),
        starts_at=datetime.fromtimestamp(since, UTC),
        ends_at=None if ends is None else datetime.fromtimestamp(ends, UTC),
        noticed_at=datetime.fromtimestamp(noticed, UTC),
        score=1.0 if role is Role.INITIATING else 0.5,
        role=role,
        causes=causes[detail],
        resolution_seconds=frame.step,
        detail=detail,
    )


SILENT = AnomalyKind(
    name="silence",
    did="series stopped",
    sentence="A series stopped: no data, not zero",
    weight=3.4,
    is_fact=True,
)
SILENCE = Detector(
    name="silence",
    meaning="a part, exporter or host that was heard is heard no more",
    notice=_notice,
    kinds=(SILENT,),
    order=3,
)
