"""Three ways of looking at the same rows: their level, their jumps, how they relate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from apps.diagnosis.stats import Floats, last_known

# A jump is a distance from the median of the last five rows and from the median of the last five
# fives of rows, whichever is nearer: so the way back to what was usual is no second jump.
FIVE: Final = 5
RECENT: Final = FIVE * FIVE + FIVE
# More columns than this aren't related to each other: the square of their number would be kept.
MOST_RELATED: Final = 2000
# A column beyond this many deviations pulls the common directions no further.
CLIP: Final = 5.0


@dataclass(frozen=True, slots=True)
class Relation:
    """What columns have in common: the directions along which they vary together."""

    middle: Floats
    unit: Floats
    mean: Floats
    common: Floats  # columns x directions


def filled(values: Floats, before: Floats) -> Floats:
    """Return the rows with each gap filled from the row above; `before` is above all."""
    if not np.isnan(values).any():
        return values
    return last_known(np.vstack([before, values]).T).T[1:]


def jumps(values: Floats, recent: Floats, first: int) -> Floats:
    """Return how far each row stands from where its column was lately.

    `recent` holds the RECENT filled rows above; `first` is the number of the first row since the
    beginning: fives of rows are counted from there, so that cuts between blocks don't matter.
    """
    whole = np.vstack([recent, filled(values, recent[-1:])])
    rows = len(values)
    near = values - _median_of_five([whole[RECENT - 1 - at :][:rows] for at in range(FIVE)])
    start = -first % FIVE  # the row of `whole` at which a five begins
    fives = (len(whole) - start) // FIVE
    means = whole[start : start + fives * FIVE].reshape(fives, FIVE, -1).mean(axis=1)
    long = _median_of_five([means[at : fives - FIVE + 1 + at] for at in range(FIVE)])
    # The last whole five above row r ends before row RECENT + r of `whole`.
    last = (np.arange(RECENT, RECENT + rows) - start) // FIVE - 1
    far = values - long[last - FIVE + 1]
    nearer = np.where(np.abs(far) < np.abs(near), far, near)
    return np.where(near * far > 0, nearer, np.where(np.isnan(near), np.nan, 0.0))


def _median_of_five(rows: Sequence[Floats]) -> Floats:
    """Return the median of five tables, cell by cell, through a network of comparisons."""
    one, two, three, four, five = rows
    low = np.maximum(np.minimum(one, two), np.minimum(three, four))
    high = np.minimum(np.maximum(one, two), np.maximum(three, four))
    middle: Floats = np.maximum(np.minimum(low, high), np.minimum(np.maximum(low, high), five))
    return middle


def relate(values: Floats) -> Relation | None:
    """Learn which directions the columns share (more variance than one column alone has)."""
    columns = values.shape[1]
    if not 2 <= columns <= MOST_RELATED or len(values) < 3:
        return None
    with np.errstate(invalid="ignore"):
        known = np.count_nonzero(~np.isnan(values), axis=0) > 1
        middle, unit = np.zeros(columns), np.ones(columns)
        middle[known] = np.nanmedian(values[:, known], axis=0)
        unit[known] = np.nanstd(values[:, known], axis=0)
    alive = known & (unit > 1e-9 * np.maximum(1e-3, np.abs(middle)))
    plain = Relation(middle, np.where(alive, unit, np.inf), np.zeros(columns), np.zeros((0, 0)))
    standard = _standard(plain, values)
    mean = standard.mean(axis=0)
    standard -= mean
    variances, directions = np.linalg.eigh(standard.T @ standard / len(standard))
    shared = variances > 1.0
    shared[-1] = True
    return Relation(middle, plain.unit, mean, directions[:, shared])


def residuals(relation: Relation, values: Floats) -> Floats:
    """Return what of each row its own columns don't have in common; missing stays missing."""
    standard = _standard(relation, values) - relation.mean
    rest: Floats = standard - (standard @ relation.common) @ relation.common.T
    rest[np.isnan(values)] = np.nan
    return rest


def _standard(relation: Relation, values: Floats) -> Floats:
    scaled = np.clip((values - relation.middle) / relation.unit, -CLIP, CLIP)
    return np.nan_to_num(scaled, copy=False)
