"""Steps of training that take longer from one step on: a cumulative sum over the steps themselves.

Where the work of a step is known too (tokens a second), the time per token is watched, so that
longer sequences are not slower hardware.
"""

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.levels import levels
from apps.diagnosis.detection.detector_state.regimes import NONE, kinds_of
from apps.diagnosis.model import (
    Anomaly,
    AnomalyKind,
    BadDirection,
    Detector,
    Device,
    Frame,
    Layer,
    Notes,
    Scene,
)

# Steps that say what is usual, and how many are needed.
MOST_STEPS, LEAST_STEPS = 64, 48
# Slack and limit of the sum of slowdowns, and what one step adds at most: of 3,000 runs of 200
# steps that jitter by 7 % none is told; of slowdowns by 15 % nineteen in twenty are within three
# steps, by a tenth half are, and all later. One step never is enough: that is a save.
SLACK, LIMIT, MOST = 0.06, 0.11, 0.12
CEILING = 0.3
# What is kept of each row beside its last steps: sum, when it left zero, when it reached the
# limit, what was usual then, and the steps and their sum since.
TOTAL, LEFT, REACHED, BEFORE, COUNT, SLOW = range(6)


def _notice(frames: Sequence[Frame], scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    speeds = [each for each in frames if each.signal.bad is BadDirection.DOWN]
    found: list[Anomaly] = []
    told: set[Device] = set()
    for frame in sorted(frames, key=lambda each: each.signal.bad is BadDirection.DOWN):
        is_speed = frame.signal.bad is BadDirection.DOWN
        cost = _cost(frame, None if is_speed else speeds, notes)
        if is_speed:
            cost[[row for row, entity in enumerate(frame.entities) if entity in told]] = np.nan
        else:
            told |= set(frame.entities)
        cost[~np.isfinite(cost)] = np.nan
        cost[kinds_of(frame, notes, scene) == NONE] = np.nan
        found += _of_frame(frame, cost, notes)
    return tuple(found)


def _cost(frame: Frame, speeds: Sequence[Frame] | None, notes: Notes) -> stats.Floats:
    """Return what a unit of work takes: the inverse of a speed, or the time of a step."""
    values = np.array(levels(frame, notes), dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if speeds is None:
            return np.where(values > 0, 1.0 / values, np.nan)
        values = np.where(values > 0, values, np.nan)
        for speed in speeds:
            if (speed.start, speed.values.shape[1]) == (frame.start, frame.values.shape[1]):
                place = {key: row for row, key in enumerate(_rows(speed))}
                for row, key in enumerate(_rows(frame)):
                    if key in place:
                        known = levels(speed, notes)[place[key]]
                        values[row] = np.where(known > 0, 1.0 / known, np.nan)
    return values


def _rows(frame: Frame) -> Iterator[tuple[Device, str]]:
    details = frame.details or ("",) * len(frame.entities)
    return zip(frame.entities, details, strict=True)


def _of_frame(frame: Frame, cost: stats.Floats, notes: Notes) -> Iterator[Anomaly]:
    subject, at = f"steps/{frame.signal.name}", frame.at
    rows = len(cost)
    past = array_store.array(notes, subject, "past", shape=(rows, MOST_STEPS), fill=np.nan).copy()
    sums = array_store.array(notes, subject, "sums", shape=(rows, 6), fill=np.nan).copy()
    told: dict[tuple[int, float], Anomaly] = {}
    for column in range(cost.shape[1]):
        present = ~np.isnan(cost[:, column])
        if present.any():
            _step(past, sums, cost[:, column], float(at[column]))
            for row in np.flatnonzero(present & ~np.isnan(sums[:, REACHED])).tolist():
                told[row, float(sums[row, LEFT])] = _anomaly(
                    frame, row, sums[row], float(at[column])
                )
    array_store.keep(notes, subject, past=past, sums=sums)
    yield from told.values()


def _step(past: stats.Floats, sums: stats.Floats, now: stats.Floats, when: float) -> None:
    """Let one step of each row count; what is usual is not learnt once it was left."""
    middle = stats.midmean(past.T, least=LEAST_STEPS)
    is_slow = ~np.isnan(sums[:, REACHED])
    usual = np.where(is_slow, sums[:, BEFORE], middle)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        added = np.minimum(now / usual - 1.0, MOST) - SLACK
        former = np.nan_to_num(sums[:, TOTAL])
        total = np.where(np.isnan(added), former, np.clip(former + added, 0.0, CEILING))
        begins = (former <= 0) & (total > 0)
        sums[:, LEFT] = np.where(begins, when, sums[:, LEFT])
        sums[:, COUNT] = np.where(begins, 0.0, sums[:, COUNT]) + ~np.isnan(added)
        sums[:, SLOW] = np.where(begins, 0.0, sums[:, SLOW]) + np.nan_to_num(now * ~np.isnan(added))
        first = ~is_slow & (total > LIMIT)
        sums[:, REACHED] = np.where(first, when, sums[:, REACHED])
        sums[:, BEFORE] = np.where(first, middle, sums[:, BEFORE])
        is_over = is_slow & (total <= 0)
    sums[is_over, REACHED] = np.nan
    sums[:, TOTAL] = total
    # A few slow steps before the sum is full don't move the middle of the last 64.
    learns = ~np.isnan(now) & np.isnan(sums[:, REACHED])
    past[learns, :-1], past[learns, -1] = past[learns, 1:], now[learns]


def _anomaly(frame: Frame, row: int, sums: stats.Floats, when: float) -> Anomaly:
    signal = frame.signal
    slow, before = sums[SLOW] / max(1.0, sums[COUNT]), float(sums[BEFORE])
    ratio = float(slow / before) if before else math.inf
    return Anomaly(
        kind=STEP_SLOWDOWN.name,
        signal=signal.name,
        family=signal.family,
        layer=Layer.STRAGGLER,
        entity=frame.entities[row],
        starts_at=datetime.fromtimestamp(float(sums[LEFT]), UTC),
        ends_at=datetime.fromtimestamp(when + frame.step, UTC),
        noticed_at=datetime.fromtimestamp(float(sums[REACHED]), UTC),
        score=min(1.0, ratio - 1.0),
        value=ratio,  # times as long as before, for the same work
        baseline=1.0,
        unit="ratio",
        role=signal.role,
        causes=signal.causes,
        resolution_seconds=frame.step,
        detail=frame.details[row] if frame.details else "",
    )


STEP_SLOWDOWN = AnomalyKind(
    name="step-slowdown",
    did="became slower",
    sentence="Steps became slower",
    weight=5.0,
)
STEPS = Detector(
    name="steps",
    meaning="steps of training take longer from one step on",
    notice=_notice,
    kinds=(STEP_SLOWDOWN,),
    order=8,
)
