"""How far is far for one column: distances from its median, in units of its own distances."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from apps.diagnosis.stats import Floats, quantiles

# A distance that one row in a hundred exceeds is one unit: robust where most of a column is one
# value, and heavy tails stretch their own unit instead of crying wolf.
RARE: Final = 0.01
# No unit below this share of the widest swing seen so far: a column that never moved is far away
# when it moves, and only so far.
OF_SWING: Final = 0.005
# The plain rule has a coarser one: a hundredth.
OF_SWING_PLAIN: Final = 0.01
QUARTILES_TO_SIGMA: Final = 1.349  # of a normal sample
TINY: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Tails:
    """The median of each column, its units upwards and downwards, its widest swing.

    No unit is below `floor`, nor below `of_swing` of the widest swing seen so far.
    """

    middle: Floats
    above: Floats
    below: Floats
    swing: Floats
    floor: Floats
    of_swing: float = OF_SWING

    @property
    def narrowest(self) -> Floats:
        """The smaller unit of each column."""
        return np.minimum(self.above, self.below)


def learn(values: Floats, *, floor: float = 0.0) -> Tails:
    """Return the tails of each column over the rows where it is present: its rare distances.

    A side on which rows differ even more rarely has the mean of those differences as its unit.
    `floor` is the least unit; a column without any row has the middle NaN and is never far.
    """
    low, middle, high = quantiles(values, (RARE, 0.5, 1 - RARE))
    apart = np.nan_to_num(values - middle)
    # What floating point leaves of a constant is no movement.
    least = np.maximum(TINY * np.maximum(1.0, np.abs(np.nan_to_num(middle))), floor)
    above = _unit(apart, np.nan_to_num(high - middle), least)
    below = _unit(-apart, np.nan_to_num(middle - low), least)
    swing = np.maximum.reduce(np.abs(apart), axis=0, initial=0.0)
    return Tails(middle, above, below, swing, least)


def learn_plain(values: Floats) -> Tails:
    """Return each column's robust standard deviation, told by its quartiles, as its units."""
    low, middle, high = quantiles(values, (0.25, 0.5, 0.75))
    unit = np.nan_to_num((high - low) / QUARTILES_TO_SIGMA)
    apart = np.abs(np.nan_to_num(values - middle))
    least = TINY * np.maximum(1.0, np.abs(np.nan_to_num(middle)))
    swing = np.maximum.reduce(apart, axis=0, initial=0.0)
    return Tails(middle, unit, unit, swing, least, OF_SWING_PLAIN)


def either_way(tails: Tails) -> Tails:
    """Return the tails with the larger of both units for both directions.

    Of jumps: what rises has to come back, at times much later, and that is as usual as the rise.
    """
    wider = np.maximum(tails.above, tails.below)
    return replace(tails, above=wider, below=wider)


def _unit(apart: Floats, rare: Floats, least: Floats) -> Floats:
    differs = apart > least
    count = np.count_nonzero(differs, axis=0)
    mean = np.where(differs, apart, 0.0).sum(axis=0) / np.maximum(count, 1)
    unit: Floats = np.where(count < RARE * len(apart), np.maximum(rare, mean), rare)
    return unit


def distances(tails: Tails, values: Floats, swing: Floats) -> tuple[Floats, Floats]:
    """Return how many units each value is away (0 where missing), and the widest swing after it.

    `swing` is the widest one before these rows: a row is measured by itself and what preceded it.
    """
    apart = values - tails.middle
    away = np.abs(apart)
    away[np.isnan(away)] = 0.0
    widest = np.maximum(np.maximum.reduce(away, axis=0, initial=0.0), swing)
    least = np.maximum(tails.of_swing * swing, tails.floor)
    unit = np.where(apart > 0, np.maximum(tails.above, least), np.maximum(tails.below, least))
    # Only where a swing widens inside these rows does the least unit differ from row to row.
    widening = np.flatnonzero(tails.of_swing * widest > np.maximum(least, tails.narrowest))
    if len(widening):
        reach = np.maximum(np.maximum.accumulate(away[:, widening], axis=0), swing[widening])
        unit[:, widening] = np.maximum(unit[:, widening], tails.of_swing * reach)
    away /= unit
    return away, widest
