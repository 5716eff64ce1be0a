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
    ordered = _distinct(losses)
    if not ordered:
        return []
    hours = np.array([loss.gpu_hours for loss in ordered])
    of = np.array([getattr(loss, by) for loss in ordered], dtype=object)
    names = sorted(set(of.tolist()))
    parts = np.column_stack([np.where(of == name, hours, 0.0) for name in names])
    total = float(hours.sum())
    made = [
        LossWeight(
            name=name,
            incidents=HitShare(hits=int((of == name).sum()), n=len(ordered)),
            gpu_hours=float(part.sum()),
            hours_share=float(part.sum()) / total if total else 0.0,
            hours_interval=interval,
        )
        for name, part, interval in zip(names, parts.T, bootstrap_ratios(parts, hours), strict=True)
    ]
    return sorted(made, key=lambda each: (-each.gpu_hours, each.name))


def _distinct(losses: Iterable[IncidentLoss]) -> Sequence[IncidentLoss]:
    """Return each incident once, of several versions the one with most lost, in a fixed order."""
    told: dict[str, IncidentLoss] = {}
    for loss in sorted(set(losses), key=lambda each: (each.gpu_hours, repr(each))):
        told[loss.incident] = loss
    return [told[incident] for incident in sorted(told)]
