"""How right the verdicts were, by what the parties said of them: shares with n and interval."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from apps.diagnosis import intervals

# Fewer cases say next to nothing: their interval spans more than half of all there is.
FEW = 10
# What was stated, in these steps; the last one takes in 1.
STEPS = (0.0, 0.5, 0.65, 0.8, 0.9, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict with what its parties say of it. None: they contradict each other."""

    layer: str
    cause: str
    status: str
    probability: float
    is_layer_right: bool | None
    is_cause_right: bool | None
    judged_at: datetime

    @property
    def is_disputed(self) -> bool:
        """Whether the parties contradict each other, on the layer or on the cause alone."""
        return self.is_layer_right is None or self.is_cause_right is None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccuracyShare(intervals.HitShare):
    """Right ones among those judged, with the 95 % Wilson interval."""

    @property
    def is_small(self) -> bool:
        """Whether there are too few to say much."""
        return self.n < FEW


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerAccuracy:
    """How right the verdicts on one layer were. `unknown`: how right it was to leave it open."""

    layer: str
    by_layer: AccuracyShare
    by_cause: AccuracyShare
    disputed_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationStep:
    """Verdicts stated with a probability in a range, and how many of them were right."""

    low: float
    high: float
    stated: float | None  # their mean; None without any
    share: AccuracyShare


def by_layer(*, judged: Sequence[Judged]) -> list[LayerAccuracy]:
    """Return the accuracy of each layer that was blamed in a judged verdict, by name."""
    layers = sorted({each.layer for each in judged})
    return [
        LayerAccuracy(
            layer=layer,
            by_layer=_share(each.is_layer_right for each in judged if each.layer == layer),
            by_cause=_share(each.is_cause_right for each in judged if each.layer == layer),
            disputed_count=sum(each.is_disputed for each in judged if each.layer == layer),
        )
        for layer in layers
    ]


def overall(*, judged: Sequence[Judged]) -> AccuracyShare:
    """Return how often the layer was right, of verdicts that named one."""
    return _share(each.is_layer_right for each in judged if each.status in {"likely", "possible"})


def steps(*, judged: Sequence[Judged]) -> list[CalibrationStep]:
    """Return stated probability beside the share that was right, of verdicts that named a layer."""
    named = [
        each
        for each in judged
        if each.status in {"likely", "possible"} and each.is_layer_right is not None
    ]
    return [_step(named, low, high) for low, high in pairwise(STEPS)]


def _step(named: Sequence[Judged], low: float, high: float) -> CalibrationStep:
    is_last = high == STEPS[-1]
    inside = [e for e in named if low <= e.probability < high or (is_last and e.probability >= 1)]
    stated = sum(each.probability for each in inside) / len(inside) if inside else None
    return CalibrationStep(
        low=low, high=high, stated=stated, share=_share(e.is_layer_right for e in inside)
    )


def _share(answers: Iterable[bool | None]) -> AccuracyShare:
    told = [answer for answer in answers if answer is not None]
    return AccuracyShare(hits=sum(told), n=len(told))
