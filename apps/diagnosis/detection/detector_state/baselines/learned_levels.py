"""A level learnt over hours from the columns that count, as known before each column."""

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.model import Notes

LEVEL, SECONDS = range(2)


class LearnedLevels:
    """The level of each row; `take` the columns in order."""

    def __init__(self, notes: Notes, subject: str, rows: int, step: float) -> None:
        self.notes, self.subject, self.step = notes, subject, step
        state = array_store.array(notes, subject, "learnt", shape=(rows, 2), fill=np.nan)
        self.level, self.seconds = state[:, LEVEL].copy(), np.nan_to_num(state[:, SECONDS])

    def known(self, seconds: float) -> stats.Floats:
        """Return the level where that much has been learnt, else NaN."""
        level: stats.Floats = np.where(self.seconds >= seconds, self.level, np.nan)
        return level

    def take(self, values: stats.Floats, counts: stats.Mask, over: float) -> None:
        """Learn from the rows that count; an old value weighs a third after `over` seconds."""
        share = np.fmax(min(1.0, self.step / over), self.step / (self.seconds + self.step))
        moved = np.where(np.isnan(self.level), values, self.level + share * (values - self.level))
        self.level = np.where(counts, moved, self.level)
        self.seconds = np.where(counts, self.seconds + self.step, self.seconds)

    def forget(self, values: stats.Floats, counts: stats.Mask, over: float) -> None:
        """Let the rows that count draw the level towards them, however little was learnt."""
        share = min(1.0, self.step / over)
        self.level = np.where(counts, self.level + share * (values - self.level), self.level)

    def keep(self) -> None:
        """Remember it for the next block."""
        state = np.stack((self.level, self.seconds), axis=1)
        array_store.keep(self.notes, self.subject, learnt=state)
