"""Frames of a pull → one column a minute and signal: what each part measured last in it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import BadDirection, Device, Frame, Semantics
from apps.telemetry.fleet_metrics.minute_bodies import (
    MOST_PARTS,
    Floats,
    MinuteColumn,
    Part,
    part_order,
)

MINUTE: Final = 60.0
ENTITIES: Final = frozenset({"gpu", "nic", "node", "disk"})
# What four bytes hold: nothing measures more, and of what is endless no scale can be drawn.
LARGEST: Final = float(np.finfo(np.float32).max)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MinuteSample:
    """A signal's column of one minute, which ends at `at`."""

    signal: str
    at: datetime
    is_exact: bool
    column: MinuteColumn


def minute_samples(*, frames: Sequence[Frame]) -> Iterator[MinuteSample]:
    """Yield the columns of every signal of the catalog that speaks of parts of nodes."""
    known = catalog().signals
    for frame in frames:
        if frame.signal.entity in ENTITIES and frame.signal.name in known:
            yield from _of_frame(frame)


def _of_frame(frame: Frame) -> Iterator[MinuteSample]:
    parts = [part_of(device) for device in frame.entities]
    places = sorted({each for each in parts if each is not None}, key=part_order)[:MOST_PARTS]
    if not places:
        return
    table = _table(frame, parts, places)
    minutes = np.ceil(frame.at / MINUTE - 1e-9) * MINUTE
    for minute in np.unique(minutes).tolist():
        columns = np.flatnonzero(minutes == minute)
        values = table[:, columns[-1]]
        for column in columns[-2::-1]:
            values = np.where(np.isnan(values), table[:, column], values)
        if not np.isnan(values).all():
            yield MinuteSample(
                signal=frame.signal.name,
                at=datetime.fromtimestamp(minute, UTC),
                is_exact=frame.signal.semantics is Semantics.COUNTER,
                column=MinuteColumn(
                    parts=tuple(places),
                    values=values,
                    read_until=datetime.fromtimestamp(float(frame.at[columns[-1]]), UTC),
                ),
            )


def _table(frame: Frame, parts: Sequence[Part | None], places: Sequence[Part]) -> Floats:
    """Return one row a part; of several series of a part (its links, say) the worst.

    What is endless or no number is not told.
    """
    worst = np.fmin if frame.signal.bad is BadDirection.DOWN else np.fmax
    rows = {place: row for row, place in enumerate(places)}
    table = np.full((len(places), frame.values.shape[1]), np.nan)
    kept = [(rows[part], at) for at, part in enumerate(parts) if part in rows]
    if kept:
        to, source = (np.array(each) for each in zip(*kept, strict=True))
        told = frame.values[source]
        worst.at(table, to, np.where(np.abs(told) <= LARGEST, told, np.nan))
    return table


def part_of(device: Device) -> Part | None:
    """Return where a device stands in the grid; None for what names no host."""
    if not device.host:
        return None
    if device.kind == "gpu":
        return (device.host, str(device.index) if device.index is not None else device.uuid or "")
    return (device.host, "" if device.kind == "node" else device.name or "")
