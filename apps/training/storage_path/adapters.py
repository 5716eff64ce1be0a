"""Whether a save is as fast as the client's network adapter lets it be: the third reading.

Counters of an adapter count all that it carries, training's own traffic too. So two conditions have
to hold: the adapter is near what it is rated at, and the save is most of what it carried.
"""

from dataclasses import dataclass
from typing import Final

NEAR_RATED: Final = 0.85  # of the line: headers and gaps take the rest
MOST_OF_IT: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterScene:
    """What was measured of one node, the mean of all, while it saved or loaded."""

    carried_bytes_per_second: float  # by its busiest adapter, in the direction of the bytes
    moved_bytes_per_second: float  # of the save or load
    rated_bytes_per_second: float | None  # None: nobody entered it


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterFinding:
    """Which of the conditions hold; None where nobody entered what an adapter carries."""

    carried_bytes_per_second: float
    rated_bytes_per_second: float | None
    rated_share: float | None
    is_near_rated: bool | None
    is_most_of_it: bool

    @property
    def is_bound(self) -> bool:
        """Say whether the save is consistent with an adapter that carries no more."""
        return bool(self.is_near_rated) and self.is_most_of_it


def adapter_reading(scene: AdapterScene) -> AdapterFinding:
    """Return what an adapter's traffic is consistent with."""
    rated, carried = scene.rated_bytes_per_second, scene.carried_bytes_per_second
    share = carried / rated if rated else None
    return AdapterFinding(
        carried_bytes_per_second=carried,
        rated_bytes_per_second=rated or None,
        rated_share=share,
        is_near_rated=None if share is None else share >= NEAR_RATED,
        is_most_of_it=scene.moved_bytes_per_second >= MOST_OF_IT * carried,
    )
