"""What a cluster writes and reads over 73 days with 523 saves and loads of known times."""

from dataclasses import dataclass

import numpy as np

from apps.diagnosis.stats import Floats
from apps.training.storage_path.phases import ClusterRate, PhaseKind

DAYS, EVENTS, SCRAPE_SECONDS = 73, 523, 30.0
WRITE_BYTES_PER_SECOND, READ_BYTES_PER_SECOND = 40.0e9, 150.8e9
MEAN_LOAD_SECONDS = 33 * 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RealPhase:
    """A save or load as it really was."""

    kind: PhaseKind
    begins_seconds: float
    ends_seconds: float
    bytes_per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Season:
    """The phases, and what was scraped of them; some scrapes are missing."""

    phases: tuple[RealPhase, ...]
    rows: tuple[ClusterRate, ...]


def season(seed: int) -> Season:
    """Return 73 days; the same seed gives the same."""
    random = np.random.default_rng(seed)
    phases = _phases(random)
    count = int(DAYS * 86400 / SCRAPE_SECONDS)
    ends: Floats = np.arange(1, count + 1, dtype=np.float64) * SCRAPE_SECONDS
    write = random.lognormal(np.log(1e9), 0.4, count)
    # Training reads its data, at times faster than the threshold of a load.
    read = random.lognormal(np.log(1.5e9), 0.5, count)
    busy = np.clip(random.normal(0.93, 0.03, count), 0, 1)
    for each in phases:
        inside = slice(
            int(each.begins_seconds // SCRAPE_SECONDS), int(each.ends_seconds // SCRAPE_SECONDS) + 1
        )
        covered = _covered(each, ends[inside])
        noise = random.lognormal(0, 0.05, len(covered))
        rates = write if each.kind is PhaseKind.SAVE else read
        rates[inside] = rates[inside] * (1 - covered) + covered * each.bytes_per_second * noise
        idle = 0.15 if each.kind is PhaseKind.LOAD else 0.7
        busy[inside] = busy[inside] * (1 - covered) + covered * idle
    # Rates come of counters: what lies in a missing scrape is spread over the next.
    told = np.flatnonzero(random.random(count) > 0.001)
    first = np.concatenate([[0], told[:-1] + 1])
    lengths = told - first + 1
    write, read, busy = (
        np.add.reduceat(each[: told[-1] + 1], first) / lengths for each in (write, read, busy)
    )
    return Season(
        phases=tuple(phases),
        rows=tuple(
            ClusterRate(
                at_seconds=float(ends[told[at]]),
                write_bytes_per_second=float(write[at]),
                read_bytes_per_second=float(read[at]),
                utilization=float(busy[at]),
            )
            for at in range(len(told))
        ),
    )


def _phases(random: np.random.Generator) -> list[RealPhase]:
    kinds = np.where(random.random(EVENTS) < 0.08, "load", "save")
    lasted = np.where(
        kinds == "load",
        random.uniform(20 * 60, 46 * 60, EVENTS),
        random.uniform(100, 500, EVENTS),
    )
    is_load = kinds == "load"
    lasted[is_load] *= MEAN_LOAD_SECONDS / lasted[is_load].mean()
    slots = DAYS * 86400 / EVENTS
    begins = slots * np.arange(EVENTS) + random.uniform(600, slots - 4000, EVENTS)
    rates = random.lognormal(0, 0.15, EVENTS)
    for mask, wanted in (
        (is_load, READ_BYTES_PER_SECOND),
        (~is_load, WRITE_BYTES_PER_SECOND),
    ):
        moved = (rates[mask] * lasted[mask]).sum() / lasted[mask].sum()
        rates[mask] *= wanted / moved
    return [
        RealPhase(
            kind=PhaseKind(kinds[at]),
            begins_seconds=float(begins[at]),
            ends_seconds=float(begins[at] + lasted[at]),
            bytes_per_second=float(rates[at]),
        )
        for at in range(EVENTS)
    ]


def _covered(phase: RealPhase, ends: Floats) -> Floats:
    """Return which share of each scrape interval lies in a phase."""
    begins = np.maximum(ends - SCRAPE_SECONDS, phase.begins_seconds)
    covered: Floats = np.minimum(ends, phase.ends_seconds) - begins
    return np.clip(covered / SCRAPE_SECONDS, 0, 1)
