"""How far parts stand from their peers at one instant, in the direction that is bad."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis import stats
from apps.diagnosis.model import BadDirection, Signal

# Of fewer no middle is told.
LEAST_PEERS: Final = 4
# Where the catalog names no smallest spread that counts: this share of the middle.
SPREAD_SHARE: Final = 0.01
MOST: Final = 99.0


def peer_distances(
    *, signal: Signal, values: stats.Floats, groups: Sequence[NDArray[np.intp]]
) -> stats.Floats:
    """Return robust standard deviations from the middle of each part's group, more is worse.

    NaN without a value, or where too few peers have one. `groups` are places in `values`; beside
    `median ± MAD` the catalog's floor counts, so that flickers of quantised values are none.
    """
    found = np.full(len(values), np.nan)
    for group in groups:
        some = values[group]
        middle, spread = stats.middle_and_spread(some[:, None], least=LEAST_PEERS)
        if not np.isnan(middle[0]):
            least = signal.floor or SPREAD_SHARE * abs(float(middle[0])) or 1.0
            found[group] = (some - middle[0]) / max(float(spread[0]), least)
    far: stats.Floats = np.clip(found, -MOST, MOST)
    if signal.bad is BadDirection.UP:
        return far
    worse: stats.Floats = -far if signal.bad is BadDirection.DOWN else np.abs(far)
    return worse
