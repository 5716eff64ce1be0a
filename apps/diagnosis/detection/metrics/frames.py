"""Series as they were read → frames on a regular grid, one row per entity."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.detection.metrics.identity import NamedSeries, Resolver, name_series, plain
from apps.diagnosis.detection.metrics.load import Labels
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
    rows: dict[NamedSeries, Floats] = {}
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
) -> NamedSeries | None:
    """Return which row of a signal's frame a series is, or None where it names no place."""
    named = name_series(
        labels=labels, kind=signal.entity, spelling=spelling, renamed=renamed, aliases=aliases
    )
    if named.device.host is None and named.device.name is None:
        return None
    if signal.operation:
        said = "/".join(labels.get(label, "") for label in signal.operation)
        return NamedSeries(device=named.device, operation=plain(said))
    return named


def unified(*, frames: Sequence[Frame], resolver: Resolver) -> tuple[Frame, ...]:
    """Return the frames with each part under all its names; rows of one part fill each other."""
    return Unifier(resolver=resolver).unify(frames)


class Unifier:
    """Frames → the same with each part under all its names. What a table of entities means is
    worked out once: keep it as long as the resolver holds, and readers may reuse their tables.
    """

    def __init__(self, *, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[Device, Device] = {}
        self._parts: dict[Device, Device] = {}
        self._plans: dict[int, _Plan] = {}

    def unify(self, frames: Sequence[Frame]) -> tuple[Frame, ...]:
        """Return the frames, those untouched in which nothing has another name."""
        return tuple(self._plan(frame).carried_out(frame) for frame in frames)

    def _plan(self, frame: Frame) -> "_Plan":
        known = self._plans.get(id(frame.entities))
        # The plan holds the table, so that no other can get its place in memory.
        if known is None or known.entities is not frame.entities or known.detail != frame.details:
            known = self._plans[id(frame.entities)] = _plan(
                frame, [self._complete(each) for each in frame.entities]
            )
        return known

    def _complete(self, device: Device) -> Device:
        found = self._known.get(device)
        if found is None:
            found = self._resolver.complete(device)
            # One object for one part, so that telling parts apart takes no comparison.
            found = self._known[device] = self._parts.setdefault(found, found)
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Plan:
    """How rows of one table of entities become rows of another."""

    entities: tuple[Device, ...]
    detail: tuple[str, ...]
    completed: tuple[Device, ...]
    details: tuple[str, ...]
    firsts: NDArray[np.int64]  # for each row it makes the first that fills it
    others: tuple[tuple[int, int], ...]  # (row it makes, another that fills its gaps)
    is_same: bool  # no row has another name

    def carried_out(self, frame: Frame) -> Frame:
        if self.is_same:
            return frame
        values = frame.values[self.firsts]
        for place, other in self.others:
            gaps = np.isnan(values[place])
            values[place, gaps] = frame.values[other, gaps]
        return replace(frame, entities=self.completed, values=values, details=self.details)


def _plan(frame: Frame, completed: Sequence[Device]) -> _Plan:
    details = frame.details or ("",) * len(completed)
    places: dict[tuple[int, str], int] = {}
    firsts: list[int] = []
    others: list[tuple[int, int]] = []
    for row, (device, detail) in enumerate(zip(completed, details, strict=True)):
        place = places.setdefault((id(device), detail), len(firsts))
        if place == len(firsts):
            firsts.append(row)
        else:
            others.append((place, row))
    return _Plan(
        entities=frame.entities,
        detail=frame.details,
        completed=tuple(completed[row] for row in firsts),
        details=tuple(details[row] for row in firsts) if frame.details else (),
        firsts=np.array(firsts, dtype=np.int64),
        others=tuple(others),
        is_same=not others
        and all(new == old for new, old in zip(completed, frame.entities, strict=True)),
    )


def on_grid(*, at: Floats, values: Floats, grid: Grid) -> Floats:
    """Return the values at the instants of the grid: the newest sample of the step before each."""
    row = np.full(grid.count, np.nan)
    index = np.ceil((at - grid.start) / grid.step - 1e-6)
    inside = (index >= 0) & (index < grid.count)
    row[index[inside].astype(np.intp)] = values[inside]
    return row


def _order(named: NamedSeries) -> tuple[str, int, str, str, str]:
    device = named.device
    index = -1 if device.index is None else device.index
    return (device.host or "", index, device.uuid or "", device.name or "", named.operation)
