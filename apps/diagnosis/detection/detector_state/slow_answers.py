"""Answers that take longer than usual, which is learnt while they do not."""

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.baselines.learned_levels import LearnedLevels
from apps.diagnosis.model import Frame, Notes

# Usual is learnt over four hours, and known after half of one.
LEARNT_SECONDS, KNOWN_SECONDS = 14_400.0, 1_800.0


def is_late(
    notes: Notes,
    subject: str,
    frame: Frame,
    took: stats.Floats,
    beyond: tuple[float, float],
    where: stats.Mask | None,
) -> stats.Mask:
    """Say where answers take so many times as long as usual, and so many seconds longer.

    With `where`, only there; usual is what they took elsewhere, or while they were not late.
    """
    times, seconds = beyond
    learnt = LearnedLevels(notes, subject, len(took), frame.step)
    hot = np.zeros(took.shape, dtype=np.bool_)
    for column in range(took.shape[1]):
        now, usual = took[:, column], learnt.known(KNOWN_SECONDS)
        with np.errstate(invalid="ignore"):
            is_beyond = (now > times * usual) & (now - usual > seconds)
        apart = is_beyond if where is None else where[:, column]
        hot[:, column] = is_beyond & apart
        learnt.take(now, ~apart & ~np.isnan(now), LEARNT_SECONDS)
    learnt.keep()
    return hot
