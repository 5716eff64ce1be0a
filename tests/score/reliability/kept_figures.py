"""E1, E2: what the portal keeps and draws of the arithmetic: uses by the hour, quick chance."""

from collections.abc import Iterator

import numpy as np

from apps.training.economics.expectations import best_interval_seconds, failure_rate
from apps.training.economics.simulated_ettr import simulated_best_interval
from apps.training.economics.use_table import hourly_uses
from tests.score.reliability.economics import BEGIN, SEED, SESSIONS, session
from tests.score.reliability.row import Row

NUMBERS = ("E1", "E2")
SEGMENTS = 60_000  # as the page of a period draws them


def rows() -> Iterator[Row]:
    """Yield the rows of what is kept."""
    random = np.random.default_rng(SEED)
    off = 0
    for _ in range(SESSIONS):
        attempts, _truth, until = session(random)
        hours = hourly_uses(attempts, starts_at=BEGIN, ends_at=until)
        wall = round((until - BEGIN).total_seconds() * 1000)
        off = max(off, abs(sum(sum(each.values()) for each in hours.values()) - wall))
    yield Row(
        number="E2",
        name="uses kept by the hour: off the wall clock, milliseconds, at most",
        value=off,
        n=SESSIONS,
        equals=0,
    )
    apart = [_apart(gpus, save) for gpus in (1024, 16_384) for save in (10.0, 30.0, 60.0)]
    yield Row(
        number="E1",
        name="best interval by formula off that by the page's 60,000 draws, share, at most",
        value=max(apart),
        n=len(apart),
        at_most=0.05,
    )


def _apart(gpus: int, save: float) -> float:
    rate = failure_rate(gpus)
    found = simulated_best_interval(
        failures_per_day=rate,
        restart_seconds=300,
        save_seconds=save,
        seed=SEED,
        segments=SEGMENTS,
    )
    return abs(best_interval_seconds(failures_per_day=rate, save_seconds=save) / found - 1)
