"""Planned work: one window for the whole cluster with a driver update, and nodes taken in turn."""

from dataclasses import dataclass

import numpy as np

from tests.census.effects import Effect, Gap, Happenings, Reset
from tests.census.life import DAY, END, HOUR, MINUTE, NODES, START, Break

# What the new driver shows differently, on all nodes alike and for good.
_SHIFTS = (
    (("DCGM_FI_DEV_FB_RESERVED",), "scale", 0.031),
    (('scrape_samples_scraped{job="dcgm-exporter"}',), "add", 16.0),
    (('scrape_samples_post_metric_relabeling{job="dcgm-exporter"}',), "add", 16.0),
    (("DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_POWER_USAGE_INSTANT"), "scale", -0.008),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A span in which nobody works and all nodes are restarted."""

    starts_at: float
    ends_at: float


def windows(*, seed: int) -> tuple[Window, ...]:
    """Return the windows of the whole cluster."""
    rng = np.random.default_rng([seed, 81])
    start = START + rng.uniform(16, 40) * DAY
    return (Window(starts_at=float(start), ends_at=float(start + rng.uniform(4, 7) * HOUR)),)


def rolling(*, seed: int) -> list[Break]:
    """Return the spans in which a few nodes are serviced while the others work."""
    rng = np.random.default_rng([seed, 82])
    found = []
    for _ in range(int(rng.integers(2, 5))):
        start = float(START + rng.uniform(2, 53) * DAY)
        found += [
            Break(
                host=int(host),
                starts_at=start,
                ends_at=start + 3 * HOUR,
                is_sudden=False,
                is_wanted=False,
            )
            for host in rng.choice(NODES, 2, replace=False)
        ]
    return found


def drained(*, seed: int) -> list[tuple[float, float, tuple[int, ...]]]:
    """Return start, end and nodes of all planned work."""
    spans = [(w.starts_at, w.ends_at, tuple(range(NODES))) for w in windows(seed=seed)]
    return [*spans, *((b.starts_at, b.ends_at, (b.host,)) for b in rolling(seed=seed))]


def carry_out(*, seed: int, windows: tuple[Window, ...], into: Happenings) -> None:
    """Restart the nodes within their windows, and let the new driver count differently."""
    rng = np.random.default_rng([seed, 83])
    for window in windows:
        room = window.ends_at - window.starts_at - HOUR
        for host in range(NODES):
            _restart(into, rng, host, window.starts_at + rng.uniform(0.1, 0.8) * room)
        for affected, operation, amount in _SHIFTS:
            into.effects.append(
                Effect(
                    names=affected,
                    hosts=tuple(range(NODES)),
                    starts_at=window.ends_at - HOUR / 2,
                    ends_at=END + DAY,
                    operation=operation,
                    amount=amount,
                )
            )
    for each in rolling(seed=seed):
        _restart(into, rng, each.host, each.starts_at + HOUR)


def _restart(into: Happenings, rng: np.random.Generator, host: int, at: float) -> None:
    end = float(at + rng.uniform(5, 14) * MINUTE)
    into.gaps.append(Gap(host=host, what="node", starts_at=float(at), ends_at=end))
    into.resets.append(Reset(host=host, at=end, what="boot"))
