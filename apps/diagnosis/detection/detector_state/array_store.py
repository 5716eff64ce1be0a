"""Arrays in the notes: one row per row of a frame, or per name. Replaced, never written into."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.model import Notes

# Columns of the block before: they mean nothing on a grid of another step.
TAIL = "tail:"
# Subjects whose rows are names of groups, not rows of a frame.
NAMED = "~"

Array = NDArray[Any]


def array(notes: Notes, subject: str, name: str, *, shape: tuple[int, ...], fill: Any) -> Array:
    """Return what was kept, with rows of `fill` for those that are new; all of it if unusable."""
    kept = notes.kept.get(subject, {}).get(name)
    if kept is None or kept.shape[1:] != shape[1:] or len(kept) > shape[0]:
        return np.full(shape, fill)
    if len(kept) == shape[0]:
        return kept
    return np.concatenate((kept, np.full((shape[0] - len(kept), *shape[1:]), fill, kept.dtype)))


def keep(notes: Notes, subject: str, **arrays: Array) -> None:
    """Remember arrays under their names, in place of what stood there."""
    notes.kept[subject] = {**notes.kept.get(subject, {}), **arrays}


def with_tail(
    notes: Notes, subject: str, name: str, block: Array, *, columns: int, fill: Any
) -> Array:
    """Return the block with the columns before it, and keep its own last ones for the next."""
    if not columns:
        return block
    shape = (len(block), columns)
    before = array(notes, subject, TAIL + name, shape=shape, fill=np.asarray(fill, block.dtype))
    joined = np.concatenate((before, block), axis=1)
    keep(notes, subject, **{TAIL + name: joined[:, -columns:].copy()})
    return joined


def by_name(notes: Notes, subject: str, names: Sequence[str]) -> str:
    """Let the rows of a subject be these names, in this order; forget others. Return its key."""
    key = NAMED + subject
    kept = notes.kept.get(key)
    if kept is None:
        notes.kept[key] = {"names": np.array(names, dtype=np.str_)}
        return key
    before = [str(name) for name in kept["names"]]
    if before == list(names):
        return key
    place = {name: row for row, name in enumerate(before)}
    rows = np.array([place.get(name, -1) for name in names], dtype=np.intp)
    notes.kept[key] = {
        name: _picked(values, rows) for name, values in kept.items() if name != "names"
    } | {"names": np.array(names, dtype=np.str_)}
    return key


def _picked(values: Array, rows: NDArray[np.intp]) -> Array:
    blank = np.nan if values.dtype.kind == "f" else 0
    padded = np.concatenate((values, np.full((1, *values.shape[1:]), blank, values.dtype)))
    picked: Array = padded[rows]
    return picked
