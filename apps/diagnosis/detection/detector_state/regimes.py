"""What each row did when: worked beside peers, worked alone, idled, or was about to change.

A level is compared with the past of the same kind of time only.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state.levels import levels
from apps.diagnosis.detection.detector_state.peer_levels import (
    LEAST_MEMBERS,
    SETTLING_SECONDS,
    alike_in,
    compared,
)
from apps.diagnosis.model import Frame, Notes, Scene

# Moving between kinds of time, or inside a band that explains movement: neither learnt nor judged.
NONE: Final = 0
WITH_PEERS: Final = 1
IDLE: Final = 2
ALONE: Final = 3
# The first minutes of a session that has no peers: what was usual in the one before is over.
BEGINNING: Final = 4

Kinds = NDArray[np.int8]
# A host whose GPUs are busier than this is not idle, whatever the scheduler tells.
IDLE_UTILISATION: Final = 0.05


def kinds_of(frame: Frame, notes: Notes, scene: Scene) -> Kinds:
    """Return the kind of time of each row and column; frames with the same rows share it."""
    key = ("kinds", id(frame.entities), id(frame.details), frame.start, frame.values.shape[1])
    if key not in notes.worked:
        notes.worked[key] = _kinds(frame, notes, scene)
    found: Kinds = notes.worked[key]
    return found


def beside_others(
    frame: Frame, notes: Notes, scene: Scene, frames: Sequence[Frame]
) -> tuple[stats.Floats, Kinds]:
    """Return levels, less the middle of the peers where there are some, and the kind of time."""
    values = levels(frame, notes)
    kinds = kinds_of(frame, notes, scene)
    away = np.array(values, dtype=np.float64)
    away[(kinds == NONE) | (kinds == BEGINNING)] = np.nan
    for part in compared(frame, notes, scene, frames):
        at = (part.members.rows, slice(part.first, part.end))
        away[at] = np.where(kinds[at] == WITH_PEERS, part.values - part.middle, away[at])
    return away, kinds


def without_common(away: stats.Floats, beside: stats.Mask, like: NDArray[np.intp]) -> stats.Floats:
    """Return how far rows moved, less what most of their like moved at the same time.

    Where other members make up a session, its middle is another and all of them seem to move.
    """
    out = np.array(away)
    for number in np.unique(like).tolist():
        rows = like == number
        moved = np.where(beside[rows], away[rows], np.nan)
        common, _ = stats.middle_and_spread(moved, least=LEAST_MEMBERS)
        out[rows] -= np.where(beside[rows], np.nan_to_num(common), 0.0)
    return out


def _kinds(frame: Frame, notes: Notes, scene: Scene) -> Kinds:
    at = frame.at
    is_told = any(group.name for group in scene.groups)
    kinds: Kinds = np.full(frame.values.shape, IDLE if is_told else ALONE, dtype=np.int8)
    kinds[[row for row, entity in enumerate(frame.entities) if entity.host is None]] = ALONE
    for place, group in enumerate(scene.groups):
        if not group.name:
            continue
        starts = group.starts_at.timestamp()
        ends = group.ends_at.timestamp() if group.ends_at else np.inf
        settled = (at >= starts + SETTLING_SECONDS) & (at < ends)
        moving = (at >= starts) & (at < ends + SETTLING_SECONDS) & ~settled
        for members in alike_in(frame, notes, place, group):
            work = WITH_PEERS if members.is_enough else ALONE
            start = NONE if members.is_enough else BEGINNING
            kinds[np.ix_(members.rows, np.flatnonzero(moving))] = start
            kinds[np.ix_(members.rows, np.flatnonzero(settled))] = work
    _by_utilisation(kinds, frame, notes, is_told=is_told)
    _leave_out_bands(kinds, frame, scene)
    return kinds


def _leave_out_bands(kinds: Kinds, frame: Frame, scene: Scene) -> None:
    at = frame.at
    for band in scene.bands:
        columns = np.flatnonzero(
            (at >= band.starts_at.timestamp()) & (at < band.ends_at.timestamp())
        )
        if not len(columns):
            continue
        hosts = frozenset(band.hosts)
        rows = [
            row
            for row, entity in enumerate(frame.entities)
            if not hosts or entity.host is None or entity.host in hosts
        ]
        kinds[np.ix_(np.array(rows, dtype=np.intp), columns)] = NONE


def _by_utilisation(kinds: Kinds, frame: Frame, notes: Notes, *, is_told: bool) -> None:
    """A host that works without a session that anybody told of is not an idle one; nor is one
    that rests at work, where nobody tells of sessions at all.
    """
    busiest = _busiest(frame, notes)
    for row, entity in enumerate(frame.entities if busiest else ()):
        if entity.host in busiest:
            with np.errstate(invalid="ignore"):
                works = busiest[entity.host] > IDLE_UTILISATION
                rests = busiest[entity.host] <= IDLE_UTILISATION
            kinds[row, works & (kinds[row] == IDLE)] = ALONE
            if not is_told:
                kinds[row, rests & (kinds[row] == ALONE)] = IDLE


def _busiest(frame: Frame, notes: Notes) -> Mapping[str | None, stats.Floats]:
    """Return how busy the busiest GPU of each host is on the grid of a frame."""
    key = ("busiest", frame.start, frame.values.shape[1])
    if key not in notes.worked:
        found: dict[str | None, stats.Floats] = {}
        for other in notes.worked.get("frames", ()):
            is_same_grid = other.start == frame.start and other.values.shape[1] == key[2]
            if other.signal.name == "gpu.utilisation" and is_same_grid:
                for entity, row in zip(other.entities, levels(other, notes), strict=True):
                    host = entity.host or ""
                    found[host] = np.fmax(found.get(host, row), row)
        notes.worked[key] = found
    known: Mapping[str | None, stats.Floats] = notes.worked[key]
    return known
