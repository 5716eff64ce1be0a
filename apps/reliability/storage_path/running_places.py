"""Which attempts ran at an instant, found among many without looking at each."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from apps.fleet.facade.placements import AttemptPlace


class RunningPlaces:
    """Attempts by their time. Only those whose hosts are asserted: claims join no metrics."""

    def __init__(self, places: Sequence[AttemptPlace]) -> None:
        self._places = [each for each in places if each.hosts_asserted]
        self._begins = np.array([each.started_at.timestamp() for each in self._places])
        self._ends = np.array(
            [each.ended_at.timestamp() if each.ended_at else np.inf for each in self._places]
        )

    def at(self, instant: datetime) -> list[AttemptPlace]:
        """Return those that ran then, in their order."""
        second = instant.timestamp()
        ran = np.flatnonzero((self._begins <= second) & (second <= self._ends))
        return [self._places[place] for place in ran.tolist()]
