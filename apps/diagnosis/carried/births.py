"""Counters that are born with their first event: a code, an exception, a status as a label.

Such a series has no zero before it. It is news where the exporter spoke of its host already;
where the exporter is new, too, it may be history.
"""

from collections.abc import Sequence

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.carried.levels import cleaned, grown
from apps.diagnosis.model import Frame, Notes, Semantics

COUNTS = frozenset({Semantics.COUNTER, Semantics.WINDOWED})


def born(frame: Frame, notes: Notes, frames: Sequence[Frame]) -> stats.Mask:
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
