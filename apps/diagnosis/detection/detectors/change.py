"""A level that shifted against the row's own past, and stays, while its peers stay where they are.

Beside peers the level is the distance from their middle; idle hosts are compared with idle ones,
and what stands alone with itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.baselines.daily_baseline import DailyBaseline, usual
from apps.diagnosis.detection.detector_state.baselines.level_cells import CELL_SECONDS
from apps.diagnosis.detection.detector_state.peer_levels import alike
from apps.diagnosis.detection.detector_state.persistence import Continuity, Spell, spells
from apps.diagnosis.detection.detector_state.regimes import WITH_PEERS, without_common
from apps.diagnosis.detection.detector_state.row_findings import told
from apps.diagnosis.model import (
    Anomaly,
    AnomalyKind,
    BadDirection,
    Detector,
    Frame,
    Notes,
    Scene,
)

# Robust standard deviations of the row's own day.
FAR = 6.0
# And further than it strayed in the last days: what comes every night is usual.
BEYOND_REACH = 1.5
# Three cells of five minutes: a shift, not a burst. Two quiet ones don't end it.
WINDOW, AT_LEAST, BRIDGE = 3, 3, 2


def _notice(frames: Sequence[Frame], scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(
        anomaly
        for frame in frames
        if frame.values.shape[1] and frame.signal.bad is not BadDirection.NONE
        for anomaly in _shifts(frame, usual(frame, notes, scene, frames), notes)
    )


def _shifts(frame: Frame, own: DailyBaseline, notes: Notes) -> Iterator[Anomaly]:
    cells = own.cells
    if not len(cells.starts):
        return
    beside = cells.kinds == WITH_PEERS
    away = without_common(cells.values - own.middle, beside, alike(frame, notes))
    with np.errstate(invalid="ignore", divide="ignore"):
        score = np.where(own.unit > 0, away / own.unit, np.nan)
        hot = (np.abs(score) >= FAR) & (np.abs(away) > BEYOND_REACH * np.nan_to_num(own.reach))
    hot &= _is_bad(score, frame.signal.bad)
    grid = Frame(
        signal=frame.signal,
        entities=frame.entities,
        start=float(cells.starts[0]),
        step=CELL_SECONDS,
        values=cells.values,
    )
    rule = Continuity(window=WINDOW, at_least=AT_LEAST, bridge=BRIDGE)
    averaged = (score, cells.levels, cells.levels - away)
    for spell in spells(notes, f"change/{frame.signal.name}", grid, hot, rule, averaged):
        yield _anomaly(frame, spell)


def _is_bad(score: stats.Floats, bad: BadDirection) -> stats.Mask:
    with np.errstate(invalid="ignore"):
        up: stats.Mask = score > 0
    if bad is BadDirection.UP:
        return up
    return ~up if bad is BadDirection.DOWN else np.ones_like(up)


def _anomaly(frame: Frame, spell: Spell) -> Anomaly:
    score, value, before = spell.means
    found = told(frame, spell, kind=CHANGE_POINT.name, score=score, value=value, baseline=before)
    return replace(
        found,
        # The last sample of the cell that made it certain.
        noticed_at=spell.noticed_at + timedelta(seconds=CELL_SECONDS - frame.step),
        resolution_seconds=CELL_SECONDS,
    )


CHANGE_POINT = AnomalyKind(
    name="change-point",
    did="changed",
    sentence="A value changed",
    weight=3.0,
    is_compared=True,
    is_of_own_past=True,
)
CHANGE = Detector(
    name="change",
    meaning="a level shifted against its own past and stays there",
    notice=_notice,
    kinds=(CHANGE_POINT,),
    order=12,
    learns_past=True,
)
