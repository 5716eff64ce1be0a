"""Lost GPU-hours of incidents, and how much each layer, cause, node, party or month weighs."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from apps.diagnosis.intervals import HitShare, bootstrap

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
    hours = np.array([loss.gpu_hours for loss in ordered])
    names = np.array([getattr(loss, by) for loss in ordered], dtype=object)
    total = float(hours.sum())
    made = [
        LossWeight(
            name=name,
            incidents=HitShare(hits=int((names == name).sum()), n=len(ordered)),
            gpu_hours=float(hours[names == name].sum()),
            hours_share=float(hours[names == name].sum()) / total if total else 0.0,
            hours_interval=bootstrap(_share_of(hours, names == name), len(hours)),
        )
        for name in sorted(set(names.tolist()))
    ]
    return sorted(made, key=lambda each: (-each.gpu_hours, each.name))


def _share_of(hours: np.ndarray, of: np.ndarray) -> Callable[[np.ndarray], float]:
    def share(pick: np.ndarray) -> float:
        total = float(hours[pick].sum())
        return float((hours[pick] * of[pick]).sum()) / total if total else 0.0

    return share


def _distinct(losses: Iterable[IncidentLoss]) -> Sequence[IncidentLoss]:
    """Return each incident once, of several versions the one with most lost, in a fixed order."""
    told: dict[str, IncidentLoss] = {}
    for loss in sorted(set(losses), key=lambda each: (each.gpu_hours, repr(each))):
        told[loss.incident] = loss
    return [told[incident] for incident in sorted(told)]
