"""How far the part least like its peers stood from them, instant by instant."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.model import Signal
from apps.diagnosis.stats import Floats
from apps.fleet.facade.placements import AttemptPlace
from apps.reliability.fleet_grid.nodes import IDLE
from apps.reliability.fleet_grid.peer_distance import peer_distances

Numbers = NDArray[np.int64]
NOBODY: Final = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstPart:
    """The part that was furthest from its peers at an instant; None: of none it was told."""

    at: datetime
    distance: float | None = None
    host: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartTable:
    """Values of parts at instants: one row a part, one column an instant; NaN: nobody told."""

    at: tuple[datetime, ...]
    parts: tuple[tuple[str, str], ...]
    values: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFilter:
    """Which parts count; all of them are peers of each other all the same."""

    session: str = ""  # public id
    host: str = ""  # a part of the name


def worst_parts(
    *,
    signal: Signal,
    table: PartTable,
    places: Sequence[AttemptPlace],
    wanted: PartFilter,
) -> list[WorstPart]:
    """Return the worst part of each instant, in order. Places come by their start."""
    if not table.parts:
        return [WorstPart(at=each) for each in table.at]
    ran = attempts_of_parts(table, places)
    far = np.full(table.values.shape, np.nan)
    for columns in _alike(ran):
        far[:, columns] = peer_distances(
            signal=signal, values=table.values[:, columns], groups=_groups(ran[:, columns.start])
        )
    known = np.where(_counts(table, ran, places, wanted) & ~np.isnan(far), far, -np.inf)
    rows = known.argmax(axis=0).tolist()
    most = known.max(axis=0).tolist()
    return [
        WorstPart(at=at)
        if distance == -np.inf
        else WorstPart(at=at, distance=distance, host=table.parts[row][0], part=table.parts[row][1])
        for at, row, distance in zip(table.at, rows, most, strict=True)
    ]


def attempts_of_parts(table: PartTable, places: Sequence[AttemptPlace]) -> Numbers:
    """Return which attempt ran on each part at each instant; of two the one that began last."""
    rows: dict[str, list[int]] = {}
    for row, (host, _) in enumerate(table.parts):
        rows.setdefault(host, []).append(row)
    ran = np.full(table.values.shape, IDLE, dtype=np.int64)
    for place in places:
        columns = [column for column, at in enumerate(table.at) if _ran(place, at)]
        hit = [row for host in place.hosts for row in rows.get(host, ())]
        if hit and columns:
            ran[np.ix_(hit, columns)] = place.id
    return ran


def _ran(place: AttemptPlace, at: datetime) -> bool:
    return place.started_at < at and (place.ended_at is None or place.ended_at >= at)


def _alike(ran: Numbers) -> list[slice]:
    """Return runs of instants in which the same attempts ran on the same parts."""
    changed = np.flatnonzero((ran[:, 1:] != ran[:, :-1]).any(axis=0)) + 1
    edges = [0, *changed.tolist(), ran.shape[1]]
    return [slice(first, last) for first, last in pairwise(edges)]


def _groups(ran: Numbers) -> list[NDArray[np.intp]]:
    return [np.flatnonzero(ran == each) for each in np.unique(ran)]


def _counts(
    table: PartTable, ran: Numbers, places: Sequence[AttemptPlace], wanted: PartFilter
) -> NDArray[np.bool_]:
    named = np.array([wanted.host.lower() in host.lower() for host, _ in table.parts])[:, None]
    if not wanted.session:
        return np.broadcast_to(named, ran.shape)
    ids = [each.id for each in places if each.session == wanted.session] or [NOBODY]
    found: NDArray[np.bool_] = named & np.isin(ran, ids)
    return found
