"""Lost GPU-hours of incidents, and how much each layer, cause, node, party or month weighs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from apps.diagnosis.intervals import HitShare, bootstrap_ratios

HOUR_SECONDS = 3600.0
LossKey = Literal["layer", "cause", "node", "party", "month"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentLoss:
    """What an incident cost a session of so many GPUs.

    `progress_seconds` were trained since the last checkpoint that was kept, `downtime_seconds`
    passed from the last step to the next one, `slow_seconds` is what slow steps took too long.
    """

    incident: str
    at: datetime
    gpus: int
    layer: str = ""
    cause: str = ""
    node: str = ""
    party: str = ""
    progress_seconds: float = 0.0
    downtime_seconds: float = 0.0
    slow_seconds: float = 0.0

    @property
    def month(self) -> str:
        """Return its month as 2026-03."""
        return f"{self.at:%Y-%m}"

    @property
    def gpu_hours(self) -> float:
        """Return all of it: not the stall alone."""
        seconds = self.progress_seconds + self.downtime_seconds + self.slow_seconds
        return seconds * self.gpus / HOUR_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class LossWeight:
    """What one layer, cause … weighs: among the incidents, and among the GPU-hours.

    `hours_interval` is by bootstrap over incidents.
    """

    name: str
    incidents: HitShare
    gpu_hours: float
    hours_share: float
    hours_interval: tuple[float, float]


def weights(losses: Iterable[IncidentLoss], *, by: LossKey) -> list[LossWeight]:
    """Return what each weighs, most GPU-hours first; each incident counts once."""
    return weights_by(losses, keys=(by,))[by]


def weights_by(
    losses: Iterable[IncidentLoss], *, keys: Sequence[LossKey]
) -> dict[LossKey, list[LossWeight]]:
    """Return the same by several keys, of the same draws."""
    ordered = _distinct(losses)
    found: dict[LossKey, list[LossWeight]] = {key: [] for key in keys}
    if not ordered:
        return found
    hours = np.array([loss.gpu_hours for loss in ordered])
    of = {key: np.array([getattr(e, key) for e in ordered], dtype=object) for key in keys}
    groups = [(key, name, of[key] == name) for key in keys for name in sorted(set(of[key]))]
    parts = np.column_stack([np.where(within, hours, 0.0) for _, _, within in groups])
    total = float(hours.sum())
    intervals = bootstrap_ratios(parts, hours)
    for (key, name, within), part, interval in zip(groups, parts.T, intervals, strict=True):
        spent = float(part.sum())
        found[key].append(
            LossWeight(
                name=name,
                incidents=HitShare(hits=int(within.sum()), n=len(ordered)),
                gpu_hours=spent,
                hours_share=spent / total if total else 0.0,
                hours_interval=interval,
            )
        )
    return {
        key: sorted(some, key=lambda each: (-each.gpu_hours, each.name))
        for key, some in found.items()
    }


def _distinct(losses: Iterable[IncidentLoss]) -> Sequence[IncidentLoss]:
    """Return each incident once, of several versions the one with most lost, in a fixed order."""
    told: dict[str, IncidentLoss] = {}
    for loss in sorted(set(losses), key=lambda each: (each.gpu_hours, repr(each))):
        told[loss.incident] = loss
    return [told[incident] for incident in sorted(told)]
