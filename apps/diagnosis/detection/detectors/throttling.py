"""Clocks held down by heat or power, on this part more than on the others."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.levels import cleaned, levels
from apps.diagnosis.detection.detector_state.persistence import Continuity, Spell, over, spells
from apps.diagnosis.detection.detector_state.row_findings import told
from apps.diagnosis.model import Anomaly, AnomalyKind, Detector, Frame, Notes, Scene, Semantics

# Two of three samples in a row: one reading is a spike.
WINDOW, AT_LEAST = 3, 2
EPISODE_GAP_SECONDS = 300.0


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _episodes(frame, notes))


def _episodes(frame: Frame, notes: Notes) -> Iterator[Anomaly]:
    share, limit = _shares(frame, notes)
    middle, _ = stats.middle_and_spread(share)
    usual = np.nan_to_num(middle)
    with np.errstate(invalid="ignore"):
        throttled = share - usual > limit
    bridge = over(EPISODE_GAP_SECONDS, frame)
    rule = Continuity(window=WINDOW, at_least=AT_LEAST, bridge=bridge)
    averaged = (share, np.broadcast_to(usual, share.shape))
    subject = f"throttling/{frame.signal.name}"
    for spell in spells(notes, subject, frame, throttled, rule, averaged):
        yield _anomaly(frame, spell)


def _anomaly(frame: Frame, spell: Spell) -> Anomaly:
    value, usual = spell.means
    score = min(1.0, value)
    found = told(frame, spell, kind=THROTTLED.name, score=score, value=value, baseline=usual)
    return replace(found, unit="ratio")


def _shares(frame: Frame, notes: Notes) -> tuple[stats.Floats, float]:
    """Return the share of time held down, and the excess over the median part that counts.

    For a bit mask the share is 1 while one of the telling bits is set.
    """
    if frame.signal.semantics is not Semantics.MASK:
        return levels(frame, notes).clip(0.0, 1.0), frame.signal.notable
    values = cleaned(frame, notes)
    bits = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0).clip(0, 2**53)
    telling = (bits.astype(np.int64) & int(frame.signal.notable)) != 0
    return np.where(np.isnan(values), np.nan, telling.astype(np.float64)), 0.5


THROTTLED = AnomalyKind(
    name="throttling",
    did="was throttled",
    sentence="A GPU was throttled",
    weight=6.8,
    is_lasting=True,
)
THROTTLING = Detector(
    name="throttling",
    meaning="clocks are held down on one part and not on most",
    notice=_notice,
    kinds=(THROTTLED,),
    order=10,
)
