"""Levels beside those of the peers: who lies how far from the middle of the session, and when.

Like is compared with like: the same operation, export or port on other hosts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.levels import levels
from apps.diagnosis.model import Frame, Notes, PeerGroup, Scene

# Below this nobody can say what is usual.
LEAST_HOSTS: Final = 3
LEAST_MEMBERS: Final = 4
# Members differ while a session starts.
SETTLING_SECONDS: Final = 300.0
# The floor stands for a spread that nobody knows. Where a row's own is known, a third will do.
KNOWN_FLOOR: Final = 1 / 3
# Where no session is known, only parts that work are compared with each other.
BUSY: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupMembers:
    """The rows of a frame that belong to a group, and the place of each one's host in `hosts`."""

    rows: NDArray[np.intp]
    host: NDArray[np.intp]
    hosts: tuple[str, ...]

    @property
    def is_enough(self) -> bool:
        """Say whether they can tell what is usual."""
        return len(self.rows) >= LEAST_MEMBERS and len(self.hosts) >= LEAST_HOSTS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComparableRows:
    """Rows of one group that are alike, in the columns in which they can be compared."""

    group: int  # its place in the scene
    members: GroupMembers
    first: int
    end: int
    values: stats.Floats  # shape (members, columns)
    middle: stats.Floats  # shape (columns,)
    unit: stats.Floats  # robust standard deviation of each column, not below the floor
    score: stats.Floats  # robust z of each value
    sharpness: stats.Floats  # times the score is larger where the floor may be a third of itself


def laid(
    frame: Frame,
    parts: Sequence[ComparableRows],
    of: Callable[[ComparableRows], stats.Floats | stats.Mask],
) -> stats.Floats:
    """Return what each part says in its rows and columns of the frame; NaN where none does."""
    found = np.full(frame.values.shape, np.nan)
    for part in parts:
        found[part.members.rows, part.first : part.end] = of(part)
    return found


def compared(
    frame: Frame, notes: Notes, scene: Scene, frames: Sequence[Frame]
) -> tuple[ComparableRows, ...]:
    """Return the groups that can be compared in this frame; worked out once a block."""
    key = ("compared", id(frame))
    if key not in notes.worked:
        parts = (
            _part(frame, notes, place, group, frames, members)
            for place, group in enumerate(scene.groups)
            for members in alike_in(frame, notes, place, group)
            if members.is_enough
        )
        notes.worked[key] = tuple(part for part in parts if part)
    found: tuple[ComparableRows, ...] = notes.worked[key]
    return found


def members_of(frame: Frame, notes: Notes, place: int, group: PeerGroup) -> GroupMembers:
    """Return which rows belong to a group; frames with the same entities share the answer."""
    key = ("members", id(frame.entities), place)
    if key not in notes.worked:
        hosts = frozenset(group.hosts)
        rows = [row for row, entity in enumerate(frame.entities) if entity.host in hosts]
        notes.worked[key] = _only(frame, np.array(rows, dtype=np.intp))
    found: GroupMembers = notes.worked[key]
    return found


def alike_in(frame: Frame, notes: Notes, place: int, group: PeerGroup) -> tuple[GroupMembers, ...]:
    """Return the members of a group, those that measure the same thing together."""
    key = ("alike in", id(frame.entities), id(frame.details), place)
    if key not in notes.worked:
        whole, kinds = members_of(frame, notes, place, group), alike(frame, notes)
        of_rows = kinds[whole.rows]
        notes.worked[key] = tuple(
            whole if (of_rows == kind).all() else _only(frame, whole.rows[of_rows == kind])
            for kind in np.unique(of_rows).tolist()
        )
    found: tuple[GroupMembers, ...] = notes.worked[key]
    return found


def alike(frame: Frame, notes: Notes) -> NDArray[np.intp]:
    """Return a number for each row: rows of the same number measure the same on other parts."""
    key = ("alike", id(frame.entities), id(frame.details))
    if key not in notes.worked:
        details = frame.details or ("",) * len(frame.entities)
        known: dict[tuple[str, str, str], int] = {}
        notes.worked[key] = np.array(
            [
                known.setdefault((entity.kind, entity.name or "", detail), len(known))
                for entity, detail in zip(frame.entities, details, strict=True)
            ],
            dtype=np.intp,
        )
    found: NDArray[np.intp] = notes.worked[key]
    return found


def _only(frame: Frame, rows: NDArray[np.intp]) -> GroupMembers:
    hosts = [frame.entities[row].host or "" for row in rows.tolist()]
    names = tuple(sorted(set(hosts)))
    index = {name: number for number, name in enumerate(names)}
    return GroupMembers(
        rows=rows, host=np.array([index[host] for host in hosts], dtype=np.intp), hosts=names
    )


def _part(
    frame: Frame,
    notes: Notes,
    place: int,
    group: PeerGroup,
    frames: Sequence[Frame],
    members: GroupMembers,
) -> ComparableRows | None:
    first, end = _settled(frame, group)
    if end <= first:
        return None
    values = levels(frame, notes)[members.rows, first:end]
    if not group.name:
        busy = _busy(frame, members.rows, notes.worked.get("frames", frames))
        values = np.where(busy[:, first:end], values, np.nan)
    middle, spread = stats.middle_and_spread(values, least=LEAST_MEMBERS)
    unit = np.fmax(spread, frame.signal.floor)
    with np.errstate(invalid="ignore", divide="ignore"):
        away = values - middle
        score = np.where(unit > 0, away / unit, np.where(away == 0, 0.0, np.nan))
    return ComparableRows(
        group=place,
        members=members,
        first=first,
        end=end,
        values=values,
        middle=middle,
        unit=unit,
        score=score,
        sharpness=_sharpness(unit, spread, frame.signal.floor),
    )


def _settled(frame: Frame, group: PeerGroup) -> tuple[int, int]:
    """Return the columns between the time a group has settled and its end."""
    at = frame.at
    first, end = 0, len(at)
    if group.name:
        first = int(np.searchsorted(at, group.starts_at.timestamp() + SETTLING_SECONDS))
    if group.ends_at:
        end = int(np.searchsorted(at, group.ends_at.timestamp()))
    return first, end


def _busy(frame: Frame, rows: NDArray[np.intp], frames: Sequence[Frame]) -> stats.Mask:
    """Say which of the rows worked when; without utilisation of the same grid, none did."""
    busy = np.zeros((len(rows), frame.values.shape[1]), dtype=np.bool_)
    for other in frames:
        is_same_grid = other.values.shape[1] == busy.shape[1] and other.start == frame.start
        if other.signal.name == "gpu.utilisation" and is_same_grid:
            place = {(each.host, each.index): row for row, each in enumerate(other.entities)}
            for to, row in enumerate(rows.tolist()):
                entity = frame.entities[row]
                found = place.get((entity.host, entity.index))
                if found is not None and entity.kind == "gpu":
                    with np.errstate(invalid="ignore"):
                        busy[to] = other.values[found] > BUSY
    return busy


def _sharpness(unit: stats.Floats, spread: stats.Floats, floor: float) -> stats.Floats:
    least = np.fmax(spread, floor * KNOWN_FLOOR)
    with np.errstate(invalid="ignore", divide="ignore"):
        sharpness: stats.Floats = np.where(least > 0, unit / least, 1.0)
    return sharpness
