"""The usual step time of a run, learnt while it runs, and how far steps vary about it."""

import math
from collections import deque

import numpy as np

# Steps that say what is usual: as many as tell the level within 0.5 % at a jitter of 7 %.
REMEMBERED = 512
# Steps before anything is called unusual.
WARM_UP = 30
# Three steps together that lie this much over the usual are slower, however even a run is.
FLOOR = 0.06
# What three steps together may reach by themselves, of what the highest of 50 reaches alone.
OF_HIGHEST = 1.12
HIGHEST = 0.98
# An unsure level allows for this many of its standard errors.
DOUBT = 3.0
# Nobody is in haste to hear that a run became quicker: it takes more to say so.
QUICKER = 1.2
# Spread and highest are worked out anew after so many steps.
RENEWED_EVERY = 16


class UsualTime:
    """Logarithms of step times: their level, and by how much three together must differ.

    A single wild step counts no more than the bound, so that it moves nothing.
    """

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=REMEMBERED)
        self._highest = 0.0
        self._lowest = 0.0
        self._spread = 0.0
        self._known = 0
        self.level = 0.0

    @property
    def is_warm(self) -> bool:
        """Say whether enough steps are known."""
        return self._highest > 0.0

    @property
    def slower_bound(self) -> float:
        """Return the logarithm by which three steps together must lie over the level."""
        return max(FLOOR, OF_HIGHEST * self._highest) + self._doubt

    @property
    def quicker_bound(self) -> float:
        """Return the logarithm by which three steps together must lie under the level."""
        return QUICKER * max(FLOOR, OF_HIGHEST * self._lowest) + self._doubt

    @property
    def _doubt(self) -> float:
        return DOUBT * self._spread / math.sqrt(max(1, len(self._times)))

    def add(self, time: float) -> None:
        """Take a step that was not unusual."""
        if self.is_warm:
            time = max(time, self.level - self.quicker_bound)
            time = min(time, self.level + self.slower_bound)
        self._times.append(time)
        self._known += 1
        if not self.is_warm or self._known % RENEWED_EVERY == 0:
            self._renew()
        else:
            self.level += (time - self.level) / len(self._times)

    def restart(self, times: list[float]) -> None:
        """Take another level as usual; how far steps vary stays known until there are enough."""
        self._times = deque(times, maxlen=REMEMBERED)
        self._known = len(times)
        self.level = float(np.mean(times))

    def _renew(self) -> None:
        times = np.array(self._times)
        self.level = float(times.mean() if self.is_warm else np.median(times))
        if len(times) < WARM_UP:
            return
        off = times - np.median(times)
        low, high = np.quantile(off, (1 - HIGHEST, HIGHEST))
        self._spread = float(np.sqrt(np.mean(np.clip(off, low, high) ** 2)))
        self._highest, self._lowest = max(float(high), 1e-9), max(-float(low), 1e-9)
