"""What every node is doing at any moment: the curve below all metrics."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from apps.simulator.world.noise import Floats
from apps.simulator.world.plan import BACK_FILL_SECONDS
from apps.simulator.world.story import SimulatedAttempt
from apps.simulator.world.world import World

IDLE, LAUNCH, ITERATE, SAVE, HANG = range(5)
_AHEAD_SECONDS = 12 * 3600.0  # how far the saves of a running session are laid out after the epoch

# By phase: idle, launch, iterate, save, hang. A hung collective spins at a quarter of the power.
LEVELS: dict[str, tuple[float, float, float, float, float]] = {
    "none": (0.0, 0.0, 0.0, 0.0, 0.0),
    "util": (0.0, 0.3, 0.98, 0.06, 1.0),
    "power": (0.0, 0.15, 1.0, 0.12, 0.28),
    "rdma": (0.0, 0.02, 1.0, 0.01, 0.0),
    "nfs": (0.01, 0.5, 0.06, 1.0, 0.0),
    "save": (0.01, 0.06, 0.06, 1.0, 0.0),
    "host": (0.05, 0.3, 0.55, 0.5, 0.4),
    "memory": (0.0, 0.4, 1.0, 1.0, 1.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments:
    """One node's phases: each begins at `starts[i]` and lasts until the next."""

    starts: Floats
    phases: NDArray[np.int64]

    def level(self, name: str, at: Floats) -> Floats:
        """Return a level at the given instants."""
        index = np.clip(np.searchsorted(self.starts, at, side="right") - 1, 0, None)
        return np.asarray(LEVELS[name])[self.phases[index]]

    def integral(self, name: str, at: Floats) -> Floats:
        """Return the area below a level since the first segment began."""
        levels = np.asarray(LEVELS[name])[self.phases]
        areas = np.concatenate([[0.0], np.cumsum(np.diff(self.starts) * levels[:-1])])
        index = np.clip(np.searchsorted(self.starts, at, side="right") - 1, 0, None)
        return np.asarray(areas[index] + (at - self.starts[index]) * levels[index])


@dataclass(frozen=True, kw_only=True)
class Activity:
    """The phases of all nodes of a world."""

    world: World

    @cached_property
    def by_node(self) -> tuple[Segments, ...]:
        """Return the segments of each node, in the order of the cluster."""
        spans: dict[str, list[tuple[float, int]]] = {
            n.name: [] for n in self.world.plan.cluster.nodes
        }
        for attempt in sorted(self.world.attempts, key=lambda a: a.starts_at):
            marks = self._marks(attempt)
            for host in attempt.hosts:
                spans[host] += marks
        return tuple(self._segments(spans[node.name]) for node in self.world.plan.cluster.nodes)

    def _marks(self, attempt: SimulatedAttempt) -> list[tuple[float, int]]:
        until = attempt.ends_at or self.world.plan.epoch + _AHEAD_SECONDS
        marks = [(attempt.starts_at, LAUNCH), (attempt.iterates_at, ITERATE)]
        phase_after = {"save": SAVE, "saved": ITERATE}
        marks += [
            (step.at, phase_after[step.kind])
            for step in self.world.steps(attempt, until=until)
            if step.kind != "step"
        ]
        outcome = self.world.outcome_of(attempt)
        if outcome and attempt.ends_at:
            is_saving = attempt.key in outcome.final_saves
            if not is_saving and outcome.halts[attempt.key] < attempt.ends_at:
                marks.append((outcome.halts[attempt.key], HANG))
        if attempt.ends_at:
            marks.append((attempt.ends_at, IDLE))
        return marks

    def _segments(self, marks: list[tuple[float, int]]) -> Segments:
        """Before the plan begins, everything trained; nobody kept the details."""
        first = self.world.plan.epoch - BACK_FILL_SECONDS
        ordered = [(1_780_000_000.0, ITERATE), (first, IDLE), *sorted(marks)]
        return Segments(
            starts=np.array([at for at, _ in ordered]),
            phases=np.array([phase for _, phase in ordered], dtype=np.int64),
        )
