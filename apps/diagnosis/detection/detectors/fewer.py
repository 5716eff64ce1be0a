"""Fewer parts than a host long had, or fewer samples than its exporter long gave: one is missing.

A GPU that falls off the bus takes its series with it while those of its siblings stay, often
without an Xid, and its session may be over before anybody can be compared with it: the host is
compared with itself. Nothing at all is silence, which has a detector of its own.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.baselines.learned_levels import LearnedLevels
from apps.diagnosis.detection.detector_state.levels import cleaned
from apps.diagnosis.detection.detector_state.persistence import Continuity, Spell, over, spells
from apps.diagnosis.detection.detector_state.row_findings import told
from apps.diagnosis.model import Anomaly, AnomalyKind, Detector, Frame, Notes, Scene

# A twentieth less than usual: metrics.md section 4, structural detector ("samples scraped -5 %").
MISSING_SHARE = 0.05
# One GPU of eight stays missing, one bad scrape doesn't.
WINDOW, HELD_SECONDS = 3, 90.0
EPISODE_GAP_SECONDS = 600.0
# Usual is learnt over an hour; what is missing for a day becomes usual.
LEARNT_SECONDS, KNOWN_SECONDS, FORGOTTEN_SECONDS = 3_600.0, 1_800.0, 86_400.0


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _episodes(frame, notes))


def _episodes(frame: Frame, notes: Notes) -> Iterator[Anomaly]:
    subject = f"fewer/{frame.signal.name}"
    values = cleaned(frame, notes)
    short, usual = _short(values, LearnedLevels(notes, subject, len(values), frame.step))
    window = max(WINDOW, over(HELD_SECONDS, frame))
    rule = Continuity(window=window, at_least=window, bridge=over(EPISODE_GAP_SECONDS, frame))
    for spell in spells(notes, subject, frame, short, rule, (values, usual)):
        yield _anomaly(frame, spell)


def _short(values: stats.Floats, learnt: LearnedLevels) -> tuple[stats.Mask, stats.Floats]:
    """Say where a row has fewer than usual, though not none; and what was usual before."""
    short, levels = np.zeros(values.shape, dtype=np.bool_), np.full(values.shape, np.nan)
    for column in range(values.shape[1]):
        now, usual = values[:, column], learnt.known(KNOWN_SECONDS)
        with np.errstate(invalid="ignore"):
            is_short = (now > 0) & (now < (1.0 - MISSING_SHARE) * usual)
            is_whole = (now > 0) & ~is_short
        learnt.take(now, is_whole, LEARNT_SECONDS)
        learnt.forget(now, is_short, FORGOTTEN_SECONDS)
        short[:, column], levels[:, column] = is_short, usual
    learnt.keep()
    return short, levels


def _anomaly(frame: Frame, spell: Spell) -> Anomaly:
    value, usual = spell.means
    return told(frame, spell, kind=SHORTFALL.name, score=1.0, value=value, baseline=usual)


SHORTFALL = AnomalyKind(
    name="shortfall",
    did="is less than it long was",
    sentence="There are fewer of something than there long were",
    weight=5.4,
)
FEWER = Detector(
    name="fewer",
    meaning="there are fewer of something than there long were",
    notice=_notice,
    kinds=(SHORTFALL,),
)
