"""Watch signals block by block: frames → anomalies, and what to remember for the next block.

Blocks come in time order; how the same samples are cut into blocks does not change what is found.
An episode that goes on is told again with each block: same start, later end.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.detector_state.array_store import NAMED, TAIL
from apps.diagnosis.detection.detector_state.failed_scrapes import without_failed
from apps.diagnosis.detection.known_detectors import noticed
from apps.diagnosis.detection.watch_memory import SignalRows, WatchMemory
from apps.diagnosis.model import Anomaly, Device, Frame, Notes, Scene

# What was not heard of for a day is forgotten: replaced parts must not add up for ever.
FORGOTTEN_SECONDS: Final = 86_400.0
# A pause between blocks is so many columns without samples, but no more than this long: longer
# than any continuity that a detector asks for.
LONGEST_PAUSE_SECONDS: Final = 3_600.0

Key = tuple[Device, str, int]


def advance(
    *, memory: WatchMemory, frames: Sequence[Frame], scene: Scene
) -> tuple[tuple[Anomaly, ...], WatchMemory]:
    """Return what is noticed in the next block, and the memory to go on with.

    One frame per signal. Columns that were seen before are left out. Raises ValueError when two
    frames are of one signal.
    """
    notes = Notes(kept={subject: dict(arrays) for subject, arrays in memory.kept.items()})
    rosters = dict(memory.rosters)
    aligned: list[Frame] = []
    told = list(_once_each(frames))
    _drop_tails(told, rosters, notes)
    for frame in told:
        roster, whole = _goes_on(rosters.get(frame.signal.name), frame)
        rosters[frame.signal.name] = roster
        if whole is not None:
            aligned.append(whole)
    aligned = list(without_failed(aligned))
    notes.worked["frames"] = aligned
    found = noticed(frames=aligned, scene=scene, notes=notes)
    return found, _forgetting(rosters, notes)


def _once_each(frames: Sequence[Frame]) -> Iterator[Frame]:
    names: set[str] = set()
    for frame in frames:
        if frame.signal.watch and frame.values.shape[1]:
            if frame.signal.name in names:
                raise ValueError(f"two frames of {frame.signal.name} in one block: join their rows")
            names.add(frame.signal.name)
            yield frame


def _goes_on(roster: SignalRows | None, frame: Frame) -> tuple[SignalRows, Frame | None]:
    """Return the frame on the rows known so far, from where the last block ended; and the rows.

    None in place of the frame when it holds nothing new.
    """
    if roster is None:
        return _roster(frame), _numbered(frame)
    behind = round((roster.next - frame.start) / frame.step)
    if behind >= frame.values.shape[1]:
        return roster, None
    frame = _cut(frame, behind) if behind > 0 else _padded(frame, -behind, roster)
    return _aligned(roster, _numbered(frame))


def _cut(frame: Frame, columns: int) -> Frame:
    return replace(
        frame, start=frame.start + columns * frame.step, values=frame.values[:, columns:]
    )


def _padded(frame: Frame, columns: int, roster: SignalRows) -> Frame:
    columns = min(columns, math.ceil(LONGEST_PAUSE_SECONDS / frame.step))
    if not columns or roster.step != frame.step:
        return frame
    nothing = np.full((len(frame.values), columns), np.nan, frame.values.dtype)
    return replace(
        frame,
        start=frame.start - columns * frame.step,
        values=np.concatenate((nothing, frame.values), axis=1),
    )


def _numbered(frame: Frame) -> Frame:
    """Return the frame with details that tell rows of one entity apart."""
    details = frame.details or _no_details(len(frame.entities))
    return frame if frame.details is details else replace(frame, details=details)


@cache
def _no_details(count: int) -> tuple[str, ...]:
    return ("",) * count


def _roster(frame: Frame) -> SignalRows:
    return SignalRows(
        entities=frame.entities,
        details=frame.details or _no_details(len(frame.entities)),
        seen=_seen(frame, np.full(len(frame.entities), frame.start)),
        next=frame.start + frame.step * frame.values.shape[1],
        step=frame.step,
    )


def _aligned(roster: SignalRows, frame: Frame) -> tuple[SignalRows, Frame]:
    """Return the frame with the rows of the roster first, and the roster with the new rows."""
    if roster.entities != frame.entities or roster.details != frame.details:
        place = {key: row for row, key in enumerate(_keys(roster.entities, roster.details))}
        keys = list(_keys(frame.entities, frame.details))
        rows = [place.setdefault(key, len(place)) for key in keys]
        new = [at for at, row in enumerate(rows) if row >= len(roster.entities)]
        values = np.full((len(place), frame.values.shape[1]), np.nan, frame.values.dtype)
        values[rows] = frame.values
        frame = replace(
            frame,
            entities=(*roster.entities, *(frame.entities[at] for at in new)),
            details=(*roster.details, *(frame.details[at] for at in new)),
            values=values,
        )
    fresh = np.full(len(frame.entities) - len(roster.entities), frame.start)
    grown = replace(
        roster,
        entities=frame.entities,
        details=frame.details,
        seen=_seen(frame, np.concatenate((roster.seen, fresh))),
        next=frame.start + frame.step * frame.values.shape[1],
        step=frame.step,
    )
    return grown, frame


def _keys(entities: Sequence[Device], details: Sequence[str]) -> Iterator[Key]:
    """Yield what tells a row from the others: entity, detail, and a number where both repeat."""
    count: dict[tuple[Device, str], int] = {}
    for pair in zip(entities, details, strict=True):
        number = count[pair] = count.get(pair, -1) + 1
        yield (*pair, number)


def _seen(frame: Frame, before: NDArray[np.float64]) -> NDArray[np.float64]:
    heard = ~np.isnan(frame.values)
    if heard[:, -1].all():
        return np.full(len(heard), frame.start + frame.step * (heard.shape[1] - 1))
    newest = np.where(heard, np.arange(heard.shape[1]), -1).max(axis=1)
    return np.where(newest >= 0, frame.start + newest * frame.step, before)


def _drop_tails(frames: Sequence[Frame], rosters: Mapping[str, SignalRows], notes: Notes) -> None:
    """Forget columns of another step; what is told in seconds stays."""
    changed = {
        frame.signal.name
        for frame in frames
        if (roster := rosters.get(frame.signal.name)) and roster.step != frame.step
    }
    for subject, arrays in notes.kept.items() if changed else ():
        if subject.startswith(NAMED) or subject.partition("/")[2] in changed:
            notes.kept[subject] = {
                name: values for name, values in arrays.items() if not name.startswith(TAIL)
            }


def _forgetting(rosters: dict[str, SignalRows], notes: Notes) -> WatchMemory:
    """Return the memory without rows and signals that were not heard for a day."""
    now = max((roster.next for roster in rosters.values()), default=0.0)
    rows = {
        name: roster.seen >= now - FORGOTTEN_SECONDS
        for name, roster in rosters.items()
        if len(roster.seen) and roster.seen.min() < now - FORGOTTEN_SECONDS
    }
    for name, is_kept in rows.items():
        rosters[name] = _only(rosters[name], is_kept)
        if not is_kept.any():
            del rosters[name]
    for subject, arrays in list(notes.kept.items()):
        forgotten = rows.get(subject.partition("/")[2])
        if forgotten is not None and not subject.startswith(NAMED):
            notes.kept[subject] = {
                name: values[forgotten[: len(values)]] for name, values in arrays.items()
            }
            if not forgotten.any():
                del notes.kept[subject]
    return WatchMemory(rosters=rosters, kept=notes.kept)


def _only(roster: SignalRows, is_kept: NDArray[np.bool_]) -> SignalRows:
    rows = np.flatnonzero(is_kept).tolist()
    return replace(
        roster,
        entities=tuple(roster.entities[row] for row in rows),
        details=tuple(roster.details[row] for row in rows),
        seen=roster.seen[is_kept],
    )
