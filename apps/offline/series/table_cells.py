"""Cells of a table of series → texts, numbers and instants."""

import math
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np

from apps.telemetry.files.table_columns import Column
from apps.telemetry.files.unusable_input import UnusableInput

# Unix times by their size: seconds, milliseconds, microseconds, nanoseconds.
SCALES: Final = ((1e11, 1.0), (1e14, 1e-3), (1e17, 1e-6), (math.inf, 1e-9))


def text_of(cell: Any) -> str:
    """Return what a cell says, empty where it holds nothing."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))  # a nullable index in Parquet comes as 3.0
    return "" if cell is None else str(cell).strip()


def numbers_of(cells: Column) -> np.ndarray[Any, Any]:
    """Return samples; only where there is other than numbers each cell is tried alone."""
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except (TypeError, ValueError):
        return np.array([_number(cell) for cell in cells], dtype=np.float64)


def _number(cell: Any) -> float:
    """Return a sample; an empty or unreadable cell is missing, never zero."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return math.nan


def _scale(number: float) -> float:
    return next((scale for most, scale in SCALES if abs(number) < most), math.nan)


def times(name: str, cells: Column, zone: str | None) -> np.ndarray[Any, Any]:
    """Return Unix seconds; an unreadable cell is NaN, none readable raises UnusableInput."""
    at = _instants(cells, zone)
    if np.isnan(at).all():
        raise UnusableInput(f"{name}: no time could be read; write Unix seconds or RFC 3339")
    return at


def _instants(cells: Column, zone: str | None) -> np.ndarray[Any, Any]:
    """Return Unix seconds of cells, each spelling looked at once; numbers all together."""
    with suppress(TypeError, ValueError):
        numbers = np.fromiter(map(float, cells), np.float64, len(cells))
        sizes = np.abs(numbers)
        scales = np.select([sizes < most for most, _ in SCALES], [by for _, by in SCALES], math.nan)
        return np.where(sizes < SCALES[0][0], numbers, numbers * scales)
    try:
        known = {cell: _instant(cell, zone) for cell in set(cells)}
    except TypeError:  # a cell that is a list
        return np.array([_instant(cell, zone) for cell in cells], dtype=np.float64)
    return np.fromiter(map(known.__getitem__, cells), np.float64, len(cells))


def _instant(cell: Any, zone: str | None) -> float:
    if isinstance(cell, datetime):
        found: datetime | None = cell
    else:
        number = _number(cell)
        if not math.isnan(number):
            return number if abs(number) < SCALES[0][0] else number * _scale(number)
        try:
            found = datetime.fromisoformat(str(cell).strip())
        except ValueError:
            found = None
    if found is None:
        return math.nan
    if found.tzinfo is None:
        found = found.replace(tzinfo=ZoneInfo(zone) if zone else UTC)
    return found.timestamp()
