"""Samples as levels: gauges as they are, counters as growth per second; worked out once a block."""

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.model import Frame, Notes, Semantics

# What begins anew counts from nothing: of a long life it does not reach this much in one step.
STEP_BACK = 0.99


def levels(frame: Frame, notes: Notes) -> stats.Floats:
    """Return the level of each row at each column, NaN where it is not known."""
    if frame.signal.semantics is not Semantics.COUNTER:
        return cleaned(frame, notes)
    key = ("rates", id(frame))
    if key not in notes.worked:
        notes.worked[key] = _rates(frame, notes)
    found: stats.Floats = notes.worked[key]
    return found


def cleaned(frame: Frame, notes: Notes) -> stats.Floats:
    """Return the samples without blanks and infinities."""
    key = ("cleaned", id(frame))
    if key not in notes.worked:
        notes.worked[key] = stats.without_blanks(frame.values)
    found: stats.Floats = notes.worked[key]
    return found


def grown(frame: Frame, notes: Notes) -> tuple[stats.Floats, stats.Floats, stats.Floats]:
    """Return how much each counter grew, the value before, and the seconds between the two.

    The first sample is a baseline (NaN). After a reset the whole new value is growth; what counts
    the last minutes only is never reset, it forgets. A counter that goes back a hundredth or less
    was read a little too early, not reset: it has not grown.
    """
    key = ("grown", id(frame))
    if key not in notes.worked:
        values, before, waited = with_last_known(frame, notes, "grown")
        difference = values - before
        forgets = frame.signal.semantics is Semantics.WINDOWED
        with np.errstate(invalid="ignore"):
            anew = 0.0 if forgets else np.where(values < STEP_BACK * before, values, 0.0)
        growth = np.where(difference < 0, anew, difference)
        notes.worked[key] = (growth, before, waited)
    found: tuple[stats.Floats, stats.Floats, stats.Floats] = notes.worked[key]
    return found


def with_last_known(
    frame: Frame, notes: Notes, subject: str
) -> tuple[stats.Floats, stats.Floats, stats.Floats]:
    """Return each sample, the last one known before it, and the seconds between the two."""
    values = cleaned(frame, notes)
    key, rows = f"{subject}/{frame.signal.name}", len(values)
    last = array_store.array(notes, key, "last", shape=(rows,), fill=np.nan)
    last_at = array_store.array(notes, key, "last_at", shape=(rows,), fill=np.nan)
    joined = np.concatenate((last[:, None], values), axis=1, dtype=np.float64)
    stamps = np.empty_like(joined)
    stamps[:, 0], stamps[:, 1:] = last_at, frame.at
    known = ~np.isnan(joined)
    if not known.all():
        index = np.where(known, np.arange(joined.shape[1]), 0)
        index = np.maximum.accumulate(index, axis=1)
        joined = np.take_along_axis(joined, index, axis=1)
        stamps = np.take_along_axis(stamps, index, axis=1)
    array_store.keep(notes, key, last=joined[:, -1].copy(), last_at=stamps[:, -1].copy())
    return values, joined[:, :-1], frame.at - stamps[:, :-1]


def _rates(frame: Frame, notes: Notes) -> stats.Floats:
    """Return growth per second; what grew over a gap is spread over the gap."""
    growth, _, waited = grown(frame, notes)
    per_second: stats.Floats = growth / waited
    return per_second
