"""Whether recoveries take less time since something was changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from apps.diagnosis.intervals import bootstrap
from apps.diagnosis.stats import Floats
from apps.training.instants import SECOND_MS
from apps.training.retries.recoveries import Recovery


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryChange:
    """Mean times to recover before and after something: `change` -0.47 is 47 % less."""

    before_seconds: float
    after_seconds: float
    before_count: int
    after_count: int
    change: float
    interval: tuple[float, float]

    @property
    def is_clear(self) -> bool:
        """Say whether the interval leaves no doubt of its direction."""
        return self.interval[0] > 0 or self.interval[1] < 0


def recovery_seconds(found: Iterable[Recovery]) -> list[float]:
    """Return the seconds of the recoveries from failures after which steps were made again."""
    return [each.total_ms / SECOND_MS for each in found if each.is_restart and each.is_complete]


def recovery_change(
    before_seconds: Sequence[float], after_seconds: Sequence[float]
) -> RecoveryChange | None:
    """Compare the mean of two sets of recoveries; None where one is empty or took no time."""
    before, after = np.sort(np.array(before_seconds)), np.sort(np.array(after_seconds))
    if not len(before) or not len(after) or not before.mean() > 0:
        return None
    return RecoveryChange(
        before_seconds=float(before.mean()),
        after_seconds=float(after.mean()),
        before_count=len(before),
        after_count=len(after),
        change=_change(before, after),
        interval=bootstrap(
            lambda first, second: _change(before[first], after[second]), len(before), len(after)
        ),
    )


def _change(before: Floats, after: Floats) -> float:
    return float(after.mean() / before.mean() - 1)
