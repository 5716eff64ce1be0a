"""What may happen to values beyond the daily life of the cluster: effects, events, gaps, resets."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from apps.simulator.world.noise import digest, uniform

Floats = NDArray[np.float32]
Times = NDArray[np.float64]
_BURST_SECONDS = 240.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A change of some names on some nodes, or on one GPU of a node, for a while."""

    names: tuple[str, ...]
    hosts: tuple[int, ...]
    starts_at: float
    ends_at: float
    operation: str  # scale: times 1 + amount; add; set; cap: at most
    amount: float  # of the device that is hit, in the unit of the name (a rate of a counter)
    shape: str = "step"  # how it grows: one of SHAPES
    gpu: int | None = None
    key: int = 0  # of the chance in `bursts`


@dataclass(frozen=True, slots=True, kw_only=True)
class Xid:
    """A code that the driver reported."""

    host: int
    gpu: int
    at: float
    code: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A span in which something of a node is not there: an exporter, a GPU, the node itself."""

    host: int | None  # None: of the whole cluster, the server that scrapes
    what: str  # an exporter, "gpu", "node" or "server"
    starts_at: float
    ends_at: float
    gpu: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """A restart that sets counters of a node back."""

    host: int
    at: float
    what: str  # boot (all but what cards remember), driver, exporter; gpu: one was exchanged
    gpu: int | None = None


@dataclass(slots=True, kw_only=True)
class Happenings:
    """All that a seed brings, while it is being written down."""

    effects: list[Effect] = field(default_factory=list)
    counts: list[tuple[str, int, int, float, int]] = field(default_factory=list)
    xids: list[Xid] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    resets: list[Reset] = field(default_factory=list)

    def count(self, name: str, host: int, gpu: int, at: float, number: int = 1) -> None:
        """Let an event counter grow."""
        self.counts.append((name, host, gpu, at, number))


def strength(effect: Effect, times: Times) -> Times:
    """Return how far the effect has unfolded at each time, 0 to 1; 0 outside its span."""
    span = max(effect.ends_at - effect.starts_at, 1.0)
    share = (times - effect.starts_at) / span
    inside = (share >= 0) & (share < 1)
    return np.where(inside, SHAPES[effect.shape](effect, times, np.clip(share, 0.0, 1.0)), 0.0)


def _step(effect: Effect, times: Times, share: Times) -> Times:
    return np.ones_like(share)


def _ramp(effect: Effect, times: Times, share: Times) -> Times:
    return share


def _late(effect: Effect, times: Times, share: Times) -> Times:
    return share**3


def _rise(effect: Effect, times: Times, share: Times) -> Times:
    return np.minimum(share / 0.25, 1.0)


def _decay(effect: Effect, times: Times, share: Times) -> Times:
    return np.asarray(np.exp(-5.0 * share), dtype=np.float64)


def _hump(effect: Effect, times: Times, share: Times) -> Times:
    return np.asarray(np.sin(np.pi * share) ** 2, dtype=np.float64)


def _bursts(effect: Effect, times: Times, share: Times) -> Times:
    """On for about a third of the time, in spells of four minutes, more or less strongly."""
    tick = np.floor(times / _BURST_SECONDS).astype(np.uint64)
    key = np.array([digest(seed=effect.key, name=f"bursts/{effect.starts_at}")], dtype=np.uint64)
    chance = uniform(key=key, tick=tick)[0]
    return np.asarray(np.maximum(chance - 0.65, 0.0) / 0.35)


def _day(effect: Effect, times: Times, share: Times) -> Times:
    """Strongest in the afternoon, UTC+9."""
    return np.maximum(np.sin(2 * np.pi * (times / 86400.0 + 9 / 24 - 0.37)), 0.0) * np.minimum(
        share * 20.0, 1.0
    )


SHAPES: dict[str, Callable[[Effect, Times, Times], Times]] = {
    "step": _step,
    "ramp": _ramp,
    "late": _late,
    "rise": _rise,
    "decay": _decay,
    "hump": _hump,
    "bursts": _bursts,
    "day": _day,
}
