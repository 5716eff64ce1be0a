"""Event counters: growth is a fact. The first sample is a baseline, a reset starts anew.

A series that is born with its first event, such as one per Xid code, is news on a host of which
its exporter spoke before.

Any growth counts of what can only be a fault. Counters that trickle on healthy machines too (link
retries, corrected errors) have to grow by more within an hour than they, or any two of their
like, did in any hour of the last day.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.detection.detector_state.baselines.hourly_growth import usual_growth
from apps.diagnosis.detection.detector_state.new_counters import counted
from apps.diagnosis.detection.detector_state.persistence import over
from apps.diagnosis.detection.detector_state.row_findings import Growth, told_growth
from apps.diagnosis.detection.shared_kinds import COUNTER_INCREASE
from apps.diagnosis.model import Anomaly, Detector, Frame, Notes, Role, Scene

# Growth that pauses for less than this belongs to the same episode.
EPISODE_GAP_SECONDS = 600.0
# Times the busiest hour.
BEYOND_USUAL = 1.5
# What is kept of an episode: first and newest growth, when it was enough, sum, value before, gap.
FIRST, NEWEST, ENOUGH, TOTAL, BEFORE, WAITED = range(6)


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _episodes(frame, notes, frames))


def _episodes(frame: Frame, notes: Notes, frames: Sequence[Frame]) -> Iterator[Anomaly]:
    growth, before, waited = counted(frame, notes, frames)
    with np.errstate(invalid="ignore"):
        growing = growth > 0
    unusual = _is_unusual(frame, notes, frames)
    if not growing.any():
        return
    subject, at = f"increase/{frame.signal.name}", frame.at
    bridge = over(EPISODE_GAP_SECONDS, frame)
    episodes = array_store.array(
        notes, subject, "episode", shape=(len(growth), 6), fill=np.nan
    ).copy()
    for row, first, end in stats.runs(growing, bridge=bridge):
        episode = episodes[row]
        if not at[first] - episode[NEWEST] <= (bridge + 1.5) * frame.step:
            episode[:] = at[first], 0, np.nan, 0, before[row, first], waited[row, first]
        inside = np.flatnonzero(growing[row, first:end]) + first
        totals = np.cumsum(np.concatenate((episode[TOTAL : TOTAL + 1], growth[row, inside])))[1:]
        reached = np.flatnonzero((totals >= frame.signal.notable) & unusual[row, inside])
        if len(reached) and np.isnan(episode[ENOUGH]):
            episode[ENOUGH] = at[inside[reached[0]]]
        episode[NEWEST], episode[TOTAL] = at[end - 1], totals[-1]
        if not np.isnan(episode[ENOUGH]):
            yield _anomaly(frame, row, episode)
    array_store.keep(notes, subject, episode=episodes)


def _is_unusual(frame: Frame, notes: Notes, frames: Sequence[Frame]) -> stats.Mask:
    """Say where the growth of the hour so far is more than usual, as far as that is known."""
    if frame.signal.role is Role.INITIATING:
        return np.ones(frame.values.shape, dtype=np.bool_)
    so_far, most = usual_growth(frame, notes, frames)
    with np.errstate(invalid="ignore"):
        is_more: stats.Mask = np.isnan(most) | (so_far > BEYOND_USUAL * most)
    return is_more


def _anomaly(frame: Frame, row: int, episode: stats.Floats) -> Anomaly:
    signal = frame.signal
    first, newest, enough, total, before, waited = episode.tolist()
    growth = Growth(
        row=row,
        first=first,
        newest=newest,
        enough=enough,
        total=total,
        before=before,
        waited=waited,
    )
    score = 1.0 if signal.role is Role.INITIATING else min(1.0, total / signal.notable / 10)
    said = told_growth(frame, growth, kind=COUNTER_INCREASE.name, score=score, role=signal.role)
    return said if newest > first else replace(said, ends_at=None)


INCREASE = Detector(
    name="increase",
    meaning="an event counter grew, whatever the amount",
    notice=_notice,
    kinds=(COUNTER_INCREASE,),
    order=2,
)
