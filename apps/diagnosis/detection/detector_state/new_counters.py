"""Counters that are born with their first event: a code, an exception, a status as a label.

Such a series has no zero before it. It is news where the exporter spoke of its host already;
where the exporter is new, too, it may be history.
"""

from collections.abc import Sequence

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.levels import cleaned, grown
from apps.diagnosis.model import Frame, Notes, Semantics

COUNTS = frozenset({Semantics.COUNTER, Semantics.WINDOWED})


def counted(
    frame: Frame, notes: Notes, frames: Sequence[Frame]
) -> tuple[stats.Floats, stats.Floats, stats.Floats]:
    """Return growth, value before and seconds between as `grown` does; a birth is growth.

    Worked out once a block, with the frames of the detector that asks first.
    """
    key = ("counted", id(frame))
    if key not in notes.worked:
        growth, before, waited = grown(frame, notes)
        news = _born(frame, notes, frames)
        if news.any():
            growth = np.where(news, frame.values, growth)
            before, waited = np.where(news, 0.0, before), np.where(news, frame.step, waited)
        notes.worked[key] = (growth, before, waited)
    found: tuple[stats.Floats, stats.Floats, stats.Floats] = notes.worked[key]
    return found


def _born(frame: Frame, notes: Notes, frames: Sequence[Frame]) -> stats.Mask:
    """Say where a row that was never heard of shows its first count, on a host that was."""
    values = cleaned(frame, notes)
    fresh: stats.Mask = np.zeros(values.shape, dtype=np.bool_)
    if not frame.signal.operation or frame.signal.semantics not in COUNTS:
        return fresh
    _, before, _ = grown(frame, notes)
    with np.errstate(invalid="ignore"):
        first = np.isnan(before) & (values > 0)
    for row, column in np.argwhere(first).tolist():
        host = frame.entities[row].host
        fresh[row, column] = host is not None and _is_heard(host, frame, notes, frames, column)
    return fresh


def _is_heard(host: str, frame: Frame, notes: Notes, frames: Sequence[Frame], column: int) -> bool:
    """Say whether the exporter spoke of a host before a column."""
    for other in frames:
        is_alike = other.signal.exporter == frame.signal.exporter and other.start == frame.start
        if not is_alike or other.values.shape[1] <= column:
            continue
        _, before, _ = grown(other, notes)
        rows = [row for row, entity in enumerate(other.entities) if entity.host == host]
        if rows and not np.isnan(before[rows, column]).all():
            return True
    return False
