"""Do long forward passes go with long backward ones? Long sequences lengthen both."""

import numpy as np

from apps.diagnosis.stats import Floats
from apps.training.stragglers.operations import BACKWARD, FORWARD
from apps.training.stragglers.step_trace import StepTrace


def pass_correlation(trace: StepTrace) -> float | None:
    """Return how forward and backward passes of the same microbatch go together, -1 to 1.

    Stages are compared inside themselves. Long sequences lengthen both passes; a slow device
    does so for all microbatches alike, which is taken out with the mean of each worker.
    """
    pairs = []
    for stage in range(trace.stage_count):
        forward, backward = (_passes(trace, kind, stage) for kind in (FORWARD, BACKWARD))
        if forward.shape == backward.shape and forward.size:
            pairs.append(np.stack([_centred(forward), _centred(backward)]))
    if not pairs:
        return None
    first, second = np.concatenate(pairs, axis=1)
    spread = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return float((first * second).sum()) / spread if spread > 0 else None


def _passes(trace: StepTrace, kind: str, stage: int) -> Floats:
    rows = [
        (each.global_chunk, each.sequence, at)
        for at, each in enumerate(trace.operations)
        if each.kind == kind and each.stage == stage
    ]
    return trace.durations_seconds[[at for _chunk, _sequence, at in sorted(rows)]]


def _centred(passes: Floats) -> Floats:
    centred: Floats = (passes / passes.mean(axis=(0, 2), keepdims=True) - 1).ravel()
    return centred
