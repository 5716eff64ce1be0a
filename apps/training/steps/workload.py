"""What a step had to do, as the time that it was bound to take."""

from collections.abc import Sequence

import numpy as np

from apps.diagnosis.stats import Floats
from apps.training.steps.step_times import StepTime

# A fit needs this many steps for each amount and for the constant part.
STEPS_A_TERM = 10


def workload_of(times: Sequence[StepTime]) -> Floats | None:
    """Return one row per step: a constant part and each amount; None where steps differ in kind.

    Amounts are scaled by their means, so that none outweighs another by its unit.
    """
    widths = {len(each.workload) for each in times}
    if len(widths) != 1 or widths == {0}:
        return None
    amounts = np.array([each.workload for each in times], dtype=np.float64)
    scale = np.abs(amounts).mean(axis=0)
    if not np.isfinite(scale).all():
        return None
    scaled = amounts / np.where(scale > 0, scale, 1.0)
    return np.hstack([np.ones((len(times), 1)), scaled])


def fitted(work: Floats, seconds: Floats) -> Floats | None:
    """Return seconds per amount that fit best by ratio, None where too few steps are known.

    By ratio, since jitter is a share of a step: a long step must not weigh more than a short one.
    """
    if len(seconds) < STEPS_A_TERM * work.shape[1]:
        return None
    found, *_ = np.linalg.lstsq(work / seconds[:, None], np.ones(len(seconds)), rcond=None)
    return np.asarray(found, dtype=np.float64)
