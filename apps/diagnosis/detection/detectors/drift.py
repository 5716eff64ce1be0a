"""A level that creeps away from its own last days, hour by hour: Page's cumulative sum.

What an hour adds is its distance from the row's own past days, in robust standard deviations, less
half of one; eight of them are more than chance collects in weeks.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.baselines.baseline_rows import HOUR_SECONDS
from apps.diagnosis.detection.detector_state.baselines.daily_baseline import DailyBaseline, usual
from apps.diagnosis.detection.detector_state.peer_levels import alike
from apps.diagnosis.detection.detector_state.regimes import without_common
from apps.diagnosis.model import (
    Anomaly,
    AnomalyKind,
    BadDirection,
    Detector,
    Frame,
    Notes,
    Scene,
    Semantics,
)

# Slack and limit of the sum; metrics.md section 4 recommends k = 0.5 and h = 8.
SLACK, LIMIT = 0.5, 8.0
# No hour counts for more: four hours at least, never one burst.
MOST = 2.5
# The sum is not let grow beyond this, so that an end is seen within a few hours.
CEILING = LIMIT + 2
UP, DOWN = 0, 1
# What is kept of each row and direction: sum, when it left zero, when it reached the limit.
TOTAL, LEFT, REACHED = range(3)


def _notice(frames: Sequence[Frame], scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(
        anomaly
        for frame in frames
        if frame.values.shape[1] and not _is_work(frame)
        for anomaly in _drifts(frame, usual(frame, notes, scene, frames), notes)
    )


def _is_work(frame: Frame) -> bool:
    """Say whether it counts work done: that creeps with the work, not with the hardware."""
    signal = frame.signal
    is_level = signal.semantics is not Semantics.COUNTER
    return not is_level and signal.bad in {BadDirection.EITHER, BadDirection.NONE}


def _drifts(frame: Frame, own: DailyBaseline, notes: Notes) -> Iterator[Anomaly]:
    if not len(own.hours):
        return
    moved = own.hour_values - own.hour_usual
    away = without_common(moved, ~np.isnan(moved), alike(frame, notes))
    with np.errstate(invalid="ignore", divide="ignore"):
        score = np.where(own.hour_unit > 0, away / own.hour_unit, np.nan)
    subject = f"drift/{frame.signal.name}"
    sums = array_store.array(notes, subject, "sums", shape=(len(away), 2, 3), fill=np.nan).copy()
    told: dict[tuple[int, int, float], Anomaly] = {}
    for hour in range(len(own.hours)):
        begins = float(own.hours[hour])
        _add(sums, score[:, hour], begins)
        with np.errstate(invalid="ignore"):
            reached = ~np.isnan(sums[:, :, REACHED]) & ~np.isnan(score[:, hour])[:, None]
        for row, way in np.argwhere(reached & _bad_ways(frame)).tolist():
            sum_ = sums[row, way]
            spell = (float(sum_[LEFT]), float(sum_[REACHED]) - frame.step, begins + HOUR_SECONDS)
            strayed = (float(score[row, hour]), float(away[row, hour]))
            told[row, way, spell[0]] = _anomaly(frame, row, spell, strayed)
    array_store.keep(notes, subject, sums=sums)
    yield from told.values()


def _add(sums: stats.Floats, score: stats.Floats, begins: float) -> None:
    """Let one hour count; an hour without samples changes nothing."""
    for way, sign in ((UP, 1.0), (DOWN, -1.0)):
        former = np.nan_to_num(sums[:, way, TOTAL])
        step = np.minimum(sign * score, MOST) - SLACK
        total = np.where(np.isnan(score), former, np.clip(former + step, 0.0, CEILING))
        left = np.where((former <= 0) & (total > 0), begins, sums[:, way, LEFT])
        is_open = ~np.isnan(sums[:, way, REACHED])
        is_over = is_open & (total <= LIMIT / 2)
        reached = np.where(is_open, sums[:, way, REACHED], begins + HOUR_SECONDS)
        sums[:, way, TOTAL], sums[:, way, LEFT] = np.where(is_over, 0.0, total), left
        sums[:, way, REACHED] = np.where(
            (total > LIMIT / 2) & (is_open | (total > LIMIT)), reached, np.nan
        )


def _bad_ways(frame: Frame) -> stats.Mask:
    bad = frame.signal.bad
    return np.array([[bad is not BadDirection.DOWN, bad is not BadDirection.UP]])


def _anomaly(
    frame: Frame,
    row: int,
    spell: tuple[float, float, float],
    strayed: tuple[float, float],
) -> Anomaly:
    signal = frame.signal
    starts, noticed, ends = (datetime.fromtimestamp(each, UTC) for each in spell)
    score, away = strayed
    return Anomaly(
        kind=DRIFTED.name,
        signal=signal.name,
        family=signal.family,
        layer=signal.layer,
        entity=frame.entities[row],
        starts_at=starts,
        ends_at=ends,
        noticed_at=noticed,
        score=score,
        value=away,  # beside its own usual level, of peers that are taken off
        baseline=0.0,
        unit=f"{signal.unit}/s" if signal.semantics is Semantics.COUNTER else signal.unit,
        role=signal.role,
        causes=signal.causes,
        resolution_seconds=HOUR_SECONDS,
        detail=frame.details[row] if frame.details else "",
    )


DRIFTED = AnomalyKind(
    name="drift",
    did="crept away from its own past",
    sentence="A value crept away from its own past",
    weight=3.0,
    is_compared=True,
    is_of_own_past=True,
)
DRIFT = Detector(
    name="drift",
    meaning="a level creeps away from its own last days",
    notice=_notice,
    kinds=(DRIFTED,),
    order=13,
    learns_past=True,
)
