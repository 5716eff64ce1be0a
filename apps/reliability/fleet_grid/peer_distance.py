"""How far parts stand from their peers, in the direction that is bad."""

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

    `values` have one row a part and one column an instant, `groups` are rows. NaN without a value,
    or where too few peers have one. Beside `median ± MAD` the catalog's floor counts, so that
    flickers of quantised values are none.
    """
    found = np.full(values.shape, np.nan)
    for group in groups:
        some = values[group]
        middle, spread = stats.middle_and_spread(some, least=LEAST_PEERS)
        share = SPREAD_SHARE * np.abs(middle)
        least = signal.floor or np.where(share > 0, share, 1.0)
        found[group] = (some - middle) / np.maximum(spread, least)
    far: stats.Floats = np.clip(found, -MOST, MOST)
    if signal.bad is BadDirection.UP:
        return far
    worse: stats.Floats = -far if signal.bad is BadDirection.DOWN else np.abs(far)
    return worse
