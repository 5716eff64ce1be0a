"""A step replayed with other durations: what would it have lasted?"""

import numpy as np

from apps.diagnosis.stats import Floats
from apps.training.stragglers.dependencies import DependencyOrder
from apps.training.stragglers.step_trace import StepTrace

# A transfer can't end before all have begun; what clocks are off by is no transfer.
CLOCK_SECONDS = 0.01


def costs_seconds(trace: StepTrace, order: DependencyOrder) -> Floats:
    """Return what each operation takes by itself, in the shape of the trace's durations.

    Of a transfer only what it lasts once all who take part have begun: waiting is no cost.
    """
    costs, ends = trace.durations_seconds.copy(), trace.ends_seconds
    for node in order.nodes:
        if node.is_transfer:
            members = list(node.members)
            begun = trace.starts_seconds[members].max(axis=0)
            if node.is_across_replicas:
                begun = begun.max(axis=0)
            lasted = ends[members] - begun
            costs[members] = np.where(lasted <= -CLOCK_SECONDS, 0.0, lasted)
    return costs


def step_seconds(order: DependencyOrder, costs: Floats) -> Floats:
    """Return how long each step lasts when operations take `costs`, shaped as the trace is."""
    ends = np.zeros_like(costs)
    for node in order.nodes:
        begins = [_begin(order, ends, at) for at in node.members]
        begun = np.maximum.reduce(begins)
        if node.is_across_replicas:
            begun = np.broadcast_to(begun.max(axis=0), begun.shape)
        for at in node.members:
            ends[at] = begun + costs[at]
    longest: Floats = ends.max(axis=(0, 1))
    return longest


def _begin(order: DependencyOrder, ends: Floats, at: int) -> Floats:
    formers = order.waits_for[at]
    if not formers:
        return np.zeros(ends.shape[1:])
    latest: Floats = ends[formers[0]]
    for former in formers[1:]:
        latest = np.maximum(latest, ends[former])
    return latest
