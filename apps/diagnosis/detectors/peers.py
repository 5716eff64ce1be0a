"""Deviation from the peers of the same session: healthy members of a synchronous job look alike."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.model import (
    Anomaly,
    BadDirection,
    Detector,
    Frame,
    PeerGroup,
    Scene,
    Semantics,
)

# Robust standard deviations. One sample at this distance happens by chance; four minutes don't.
FAR = 6.0
CONTINUITY_SECONDS = 240.0
CONTINUITY_SHARE = 0.75
# Below this nobody can say what is usual.
LEAST_HOSTS = 3
LEAST_MEMBERS = 4
# Beyond this share of the hosts (and three of them) the cause is shared.
SHARED_SHARE = 0.2
# Members differ while a session starts.
SETTLING_SECONDS = 300.0
# Where no session is known, only parts that work are compared with each other.
BUSY = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Compared:
    """The members of one group in one frame."""

    frame: Frame
    rows: list[int]
    values: stats.Floats
    score: stats.Floats
    far: stats.Mask


def _detect(frames: Sequence[Frame], scene: Scene) -> tuple[Anomaly, ...]:
    found = []
    for frame in frames:
        for group in scene.groups:
            compared = _compare(frame, group, frames)
            if compared:
                found += list(_episodes(compared))
    return tuple(found)


def _compare(frame: Frame, group: PeerGroup, frames: Sequence[Frame]) -> _Compared | None:
    members = frozenset(group.hosts)
    rows = [row for row, entity in enumerate(frame.entities) if entity.host in members]
    hosts = {frame.entities[row].host for row in rows}
    if len(rows) < LEAST_MEMBERS or len(hosts) < LEAST_HOSTS:
        return None
    values = stats.without_blanks(frame.values[rows])
    if frame.signal.semantics is Semantics.COUNTER:
        values = stats.rates(values, frame.step)
    values = np.where(_lived(frame, group), values, np.nan)
    if not group.name:
        values = np.where(_busy(frame, rows, frames), values, np.nan)
    values[:, np.count_nonzero(~np.isnan(values), axis=0) < LEAST_MEMBERS] = np.nan
    score = stats.robust_z(values, frame.signal.floor)
    far = _without_shared(_is_far(score, frame.signal.bad), frame, rows)
    return _Compared(frame=frame, rows=rows, values=values, score=score, far=far)


def _lived(frame: Frame, group: PeerGroup) -> stats.Mask:
    settled = group.starts_at.timestamp() + SETTLING_SECONDS if group.name else -math.inf
    ends_at = group.ends_at.timestamp() if group.ends_at else math.inf
    lived: stats.Mask = (frame.at >= settled) & (frame.at < ends_at)
    return lived


def _busy(frame: Frame, rows: list[int], frames: Sequence[Frame]) -> stats.Mask:
    """Say which of the rows worked when; without utilisation of the same grid, none did."""
    busy = np.zeros((len(rows), frame.values.shape[1]), dtype=np.bool_)
    for other in frames:
        is_same_grid = other.values.shape[1] == busy.shape[1] and other.start == frame.start
        if other.signal.name == "gpu.utilisation" and is_same_grid:
            place = {(each.host, each.index): row for row, each in enumerate(other.entities)}
            for to, row in enumerate(rows):
                entity = frame.entities[row]
                found = place.get((entity.host, entity.index))
                if found is not None and entity.kind == "gpu":
                    with np.errstate(invalid="ignore"):
                        busy[to] = other.values[found] > BUSY
    return busy


def _is_far(score: stats.Floats, bad: BadDirection) -> stats.Mask:
    with np.errstate(invalid="ignore"):
        high: stats.Mask = score >= FAR
        low: stats.Mask = score <= -FAR
    if bad is BadDirection.UP:
        return high
    return low if bad is BadDirection.DOWN else high | low


def _without_shared(far: stats.Mask, frame: Frame, rows: list[int]) -> stats.Mask:
    names = sorted({frame.entities[row].host or "" for row in rows})
    place = np.array([names.index(frame.entities[row].host or "") for row in rows])
    hit = np.zeros((len(names), far.shape[1]), dtype=np.bool_)
    np.logical_or.at(hit, place, far)
    count = hit.sum(axis=0)
    shared = (count >= LEAST_HOSTS) & (count > SHARED_SHARE * len(names))
    own: stats.Mask = far & ~shared
    return own


def _episodes(compared: _Compared) -> Iterator[Anomaly]:
    frame, signal = compared.frame, compared.frame.signal
    window = max(3, math.ceil(CONTINUITY_SECONDS / frame.step))
    at_least = math.ceil(CONTINUITY_SHARE * window)
    held = stats.held(compared.far, window=window, at_least=at_least)
    for row, first, end in stats.runs(held, bridge=window):
        begin = max(0, first - window + 1)
        begin += int(np.argmax(compared.far[row, begin:end]))
        inside = compared.far[row, begin:end]
        others = stats.median(compared.values[:, begin:end])
        yield Anomaly(
            kind="peer-deviation",
            signal=signal.name,
            family=signal.family,
            layer=signal.layer,
            entity=frame.entities[compared.rows[row]],
            starts_at=datetime.fromtimestamp(frame.start + begin * frame.step, UTC),
            ends_at=datetime.fromtimestamp(frame.start + end * frame.step, UTC),
            score=float(np.median(compared.score[row, begin:end][inside])),
            value=float(np.median(compared.values[row, begin:end][inside])),
            baseline=float(np.median(others[inside])),
            unit=signal.unit if signal.semantics is Semantics.GAUGE else f"{signal.unit}/s",
            role=signal.role,
            causes=signal.causes,
            resolution_seconds=frame.step,
        )


PEERS = Detector(
    name="peers", meaning="a member differs from the others of its session", detect=_detect
)
