"""Columns of a table as series: which one tells the time, and what the cells are as numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from apps.diagnosis.model import Statement, statement
from apps.diagnosis.stats import Floats
from apps.offline.series.series_tables import METRIC_NAMES, TIME_NAMES, VALUE_NAMES
from apps.offline.series.table_cells import times
from apps.telemetry.files.unusable_input import UnusableInput

# What a person marked isn't a series: a detector that read it would be judged by its own answers.
ANSWERS: Final = frozenset({"label", "labels", "is_anomaly", "anomaly", "ground_truth", "truth"})
STAMPS: Final = 20_000  # times that are looked at to learn the step


@dataclass(frozen=True, slots=True, kw_only=True)
class WideTable:
    """Rows to score, rows to learn from where the file has them apart, and what it says of both."""

    test: Floats
    train: Floats | None
    names: tuple[str, ...] | None
    step: float | None  # seconds between rows
    notes: tuple[Statement, ...]
    times: Sequence[Any] | None = None  # of the rows to score, as the file writes them


def assembled(
    path: Path, values: Floats | None, names: list[str] | None, stamps: Sequence[Any] | None
) -> WideTable:
    """Return a table of numbers with one stamp a row; raise UnusableInput."""
    if values is None or not values.shape[1]:
        raise UnusableInput(f"{path}: no column of numbers beside the times")
    notes = []
    for at, name in enumerate(names or ()):
        if name.lower() in ANSWERS:
            values[:, at] = np.nan
            notes.append(statement("column-is-answer", column=at, name=name))
        elif np.isnan(values[:, at]).all():
            notes.append(statement("column-without-numbers", column=at, name=name))
    step, said = (None, []) if stamps is None else _step(path, stamps[:STAMPS])
    return WideTable(
        test=values,
        train=None,
        names=tuple(names) if names is not None else None,
        step=step,
        notes=(*notes, *said),
        times=stamps,
    )


def _step(path: Path, stamps: Sequence[Any]) -> tuple[float | None, list[Statement]]:
    """Return the usual seconds between rows, and what is to be said of the times."""
    gaps = np.diff(times(str(path), stamps, None))
    gaps = gaps[np.isfinite(gaps)]
    notes = [statement("times-go-back")] if (gaps < 0).any() else []
    forward = gaps[gaps > 0]
    return float(np.median(forward)) if len(forward) else None, notes


def time_column(path: Path, names: Sequence[str]) -> int | None:
    """Return which column tells the time, if one does; raise UnusableInput."""
    words = [name.strip().lower() for name in names]
    if set(words) & set(METRIC_NAMES[:2]) and set(words) & set(VALUE_NAMES):
        raise UnusableInput(
            f"{path}: one row a sample (metric, value); a table with one column a series is needed"
        )
    return next((at for at, word in enumerate(words) if word in TIME_NAMES), None)


def is_number(cell: Any) -> bool:
    """Say whether a cell reads as a number."""
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def number_of(cell: Any) -> float:
    """Return a value; an empty or unreadable cell is missing, never zero."""
    return float(cell) if is_number(cell) else float("nan")
