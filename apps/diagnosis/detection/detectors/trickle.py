"""Corrected errors that come by ones and twos, hour after hour: a part that wears out.

No ten minutes of such a growth are worth a word, and a counter that trickles on healthy machines
is nothing: half of the last eight hours have to show some, twice as many hours as it was used to,
and the sum has to be more than its own rate, or any two of its like, would bring. Memory cells,
NVLink lanes and PCIe links fail so: corrected first, ever more often, then not (SBE as precursor
of remapped rows and double-bit errors; symbol errors and replays as those of a link).
"""

from collections.abc import Iterator, Sequence

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.baselines.hourly_growth import (
    HOUR_SECONDS,
    LEAST_HOURS,
    Hour,
    by_hour,
)
from apps.diagnosis.detection.detector_state.new_counters import counted
from apps.diagnosis.detection.detector_state.peer_levels import alike
from apps.diagnosis.detection.detector_state.row_findings import Growth, told_growth
from apps.diagnosis.model import Anomaly, AnomalyKind, Detector, Frame, Notes, Role, Scene

# A working shift, and half of it.
SPAN_HOURS, ACTIVE_HOURS = 8, 4
# The rest of the day that is remembered is the row's own past.
OLDEST_HOURS = 23
# Times the growth, and the share of active hours, of before.
BEYOND_USUAL, MORE_OFTEN = 1.5, 2.0
# What is kept of an episode: begin, newest growth, when it was enough, growth so far.
FIRST, NEWEST, ENOUGH, TOTAL = range(4)


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _episodes(frame, notes, frames))


def _episodes(frame: Frame, notes: Notes, frames: Sequence[Frame]) -> Iterator[Anomaly]:
    growth, _, _ = counted(frame, notes, frames)
    subject = f"trickle/{frame.signal.name}"
    known = array_store.array(notes, subject, "episode", shape=(len(growth), 4), fill=np.nan).copy()
    told: dict[tuple[int, float], Anomaly] = {}
    for hour in by_hour(frame, notes, frames):
        _close(known, hour, frame.signal.notable)
        begun = _begin(known, hour, frame, notes)
        for row in np.flatnonzero(~np.isnan(known[:, ENOUGH])).tolist():
            after = hour.columns[frame.at[hour.columns] > known[row, ENOUGH]]
            growing = after[np.nan_to_num(growth[row, after]) > 0]
            if len(growing):
                known[row, NEWEST] = frame.at[growing[-1]]
                known[row, TOTAL] += growth[row, growing].sum()
            if len(growing) or row in begun:
                told[row, float(known[row, FIRST])] = _anomaly(frame, row, known[row])
    array_store.keep(notes, subject, episode=known)
    yield from told.values()


def _close(known: stats.Floats, hour: Hour, notable: float) -> None:
    """End what the last hours no longer show. What was begun within the hour stays."""
    last = hour.before(1, SPAN_HOURS)
    with np.errstate(invalid="ignore"):
        goes_on = (np.nansum(last, axis=1) >= notable) & ((last > 0).sum(axis=1) >= ACTIVE_HOURS)
        known[(known[:, ENOUGH] < hour.begins) & ~goes_on] = np.nan


def _begin(known: stats.Floats, hour: Hour, frame: Frame, notes: Notes) -> frozenset[int]:
    """Begin the episodes of rows of which the hours up to a column show enough; return the rows."""
    last = hour.before(1, SPAN_HOURS - 1)
    amount = np.nansum(last, axis=1)[:, None] + hour.so_far
    with np.errstate(invalid="ignore"):
        active = (last > 0).sum(axis=1)[:, None] + (hour.so_far > 0)
        enough = (amount >= frame.signal.notable) & (active >= ACTIVE_HOURS)
        enough &= np.isnan(known[:, ENOUGH])[:, None]
        if not enough.any():
            return frozenset()
        usual, often = _usual(hour, frame, notes)
        enough &= (amount > BEYOND_USUAL * usual[:, None]) & (active >= MORE_OFTEN * often[:, None])
    rows = np.flatnonzero(enough.any(axis=1)).tolist()
    for row in rows:
        column = int(np.argmax(enough[row]))
        now = float(frame.at[hour.columns[column]])
        known[row] = _first(last[row], hour), now, now, amount[row, column]
    return frozenset(rows)


def _first(last: stats.Floats, hour: Hour) -> float:
    """Return when the earliest of the last hours with growth began."""
    with np.errstate(invalid="ignore"):
        back = np.flatnonzero(last > 0)
    return hour.begins - HOUR_SECONDS * (int(back[-1]) + 1 if len(back) else 0)


def _usual(hour: Hour, frame: Frame, notes: Notes) -> tuple[stats.Floats, stats.Floats]:
    """Return how much a row would grow in the span, and in how many of its hours; NaN if unknown.

    By its own rate before the span, or what any two of its like grew in the last one.
    """
    past, others = hour.before(SPAN_HOURS, OLDEST_HOURS), hour.before(1, SPAN_HOURS)
    known = np.count_nonzero(~np.isnan(past), axis=1)
    share = np.where(known >= LEAST_HOURS, SPAN_HOURS / np.maximum(known, 1), np.nan)
    lately = np.nansum(others, axis=1)[:, None]
    with np.errstate(invalid="ignore"):
        often = (past > 0).sum(axis=1) * share
        own = np.nansum(past, axis=1) * share
        of_like = stats.second_highest(lately, alike(frame, notes))[:, 0]
    return np.maximum(own, np.nan_to_num(of_like)), often


def _anomaly(frame: Frame, row: int, episode: stats.Floats) -> Anomaly:
    first, newest, enough, total = episode.tolist()
    growth = Growth(
        row=row,
        first=first,
        newest=newest,
        enough=enough,
        total=total,
        before=0.0,
        waited=HOUR_SECONDS,
    )
    score = min(1.0, total / frame.signal.notable / 10)
    # Of a counter that is context by itself: beside its own past and its like it speaks.
    return told_growth(frame, growth, kind=TRICKLED.name, score=score, role=Role.CONFIRMATION)


TRICKLED = AnomalyKind(
    name="trickle",
    did="grows a little hour after hour",
    sentence="A counter grows a little hour after hour",
    weight=4.4,
    is_fact=True,
    is_counted=True,
)
TRICKLE = Detector(
    name="trickle",
    meaning="a counter grows by little, hour after hour",
    notice=_notice,
    kinds=(TRICKLED,),
)
