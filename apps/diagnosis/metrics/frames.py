"""Series as they were read → frames on a regular grid, one row per entity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.metrics.identity import Named, Resolver, name_series
from apps.diagnosis.metrics.load import Labels
from apps.diagnosis.model import Device, Frame, Signal

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """One series as a source gave it: labels, Unix seconds, values."""

    labels: Mapping[str, str]
    at: Floats
    values: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Regular instants: `count` of them from `start` on, every `step` seconds."""

    start: float
    step: float
    count: int

    @property
    def end(self) -> float:
        """The last instant."""
        return self.start + self.step * (self.count - 1)


def grid_between(*, start: float, end: float, step: float) -> Grid:
    """Return the instants of a span that are multiples of the step, so that spans share them."""
    first = np.ceil(start / step) * step
    count = int(np.floor((end - first) / step)) + 1
    return Grid(start=float(first), step=step, count=max(0, count))


def frame_of(  # noqa: PLR0913  each is a fact of its own about the series
    *,
    signal: Signal,
    scale: float,
    series: Sequence[Samples],
    grid: Grid,
    spelling: Labels,
    renamed: Mapping[str, str] = MappingProxyType({}),
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Frame:
    """Return the series on the grid, in the signal's unit; several of one entity fill each other.

    Blank values and infinities become NaN before they are scaled. Series that name neither a
    host nor a server are left out: nobody could say where they belong.
    """
    rows: dict[Named, Floats] = {}
    for each in series:
        named = row_name(
            labels=each.labels, signal=signal, spelling=spelling, renamed=renamed, aliases=aliases
        )
        if named is None:
            continue
        row = on_grid(at=each.at, values=each.values, grid=grid)
        former = rows.get(named)
        rows[named] = row if former is None else np.where(np.isnan(former), row, former)
    names = sorted(rows, key=_order)
    values = np.array([rows[name] for name in names]) if names else np.empty((0, grid.count))
    return Frame(
        signal=signal,
        entities=tuple(name.device for name in names),
        start=grid.start,
        step=grid.step,
        values=stats.without_blanks(values) * scale,
        details=tuple(name.operation for name in names),
    )


def row_name(
    *,
    labels: Mapping[str, str],
    signal: Signal,
    spelling: Labels,
    renamed: Mapping[str, str] = MappingProxyType({}),
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Named | None:
    """Return which row of a signal's frame a series is, or None where it names no place."""
    named = name_series(
        labels=labels, kind=signal.entity, spelling=spelling, renamed=renamed, aliases=aliases
    )
    if named.device.host is None and named.device.name is None:
        return None
    if signal.operation:
        said = "/".join(labels.get(label, "") for label in signal.operation)
        return Named(device=named.device, operation=said)
    return named


def unified(*, frames: Sequence[Frame], resolver: Resolver) -> tuple[Frame, ...]:
    """Return the frames with each part under all its names; rows of one part fill each other."""
    known: dict[Device, Device] = {}
    done: dict[tuple[Device, ...], tuple[Device, ...]] = {}
    made = []
    for frame in frames:
        entities = done.get(frame.entities)
        if entities is None:
            for each in frame.entities:
                if each not in known:
                    known[each] = resolver.complete(each)
            entities = done[frame.entities] = tuple(known[each] for each in frame.entities)
        made.append(frame if entities == frame.entities else _renamed(frame, entities))
    return tuple(made)


def _renamed(frame: Frame, entities: tuple[Device, ...]) -> Frame:
    details = frame.details or ("",) * len(entities)
    rows: dict[Named, Floats] = {}
    for device, detail, row in zip(entities, details, frame.values, strict=True):
        named = Named(device=device, operation=detail)
        former = rows.get(named)
        rows[named] = row if former is None else np.where(np.isnan(former), row, former)
    names = sorted(rows, key=_order)
    return replace(
        frame,
        entities=tuple(name.device for name in names),
        values=np.array([rows[name] for name in names]),
        details=tuple(name.operation for name in names) if frame.details else (),
    )


def on_grid(*, at: Floats, values: Floats, grid: Grid) -> Floats:
    """Return the values at the instants of the grid: the newest sample of the step before each."""
    row = np.full(grid.count, np.nan)
    index = np.ceil((at - grid.start) / grid.step - 1e-6)
    inside = (index >= 0) & (index < grid.count)
    row[index[inside].astype(np.intp)] = values[inside]
    return row


def _order(named: Named) -> tuple[str, int, str, str, str]:
    device = named.device
    index = -1 if device.index is None else device.index
    return (device.host or "", index, device.uuid or "", device.name or "", named.operation)
