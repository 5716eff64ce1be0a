"""How often checkpoints are saved, and how often would cost least at the failures measured."""

from collections.abc import Sequence
from functools import lru_cache
from math import floor, log10
from typing import Final

import numpy as np

from apps.diagnosis.intervals import HitShare, median_interval
from apps.reliability.period.division import missing_saves
from apps.reliability.period.facts import PeriodAttempt, PeriodFacts
from apps.reliability.period.incident_losses import downtime_seconds
from apps.reliability.period.scopes import (
    Absence,
    CountedKind,
    Figure,
    absent,
    counted,
)
from apps.reliability.period.values import SaveInterval, TimeToFailure, Utilization
from apps.training.economics.expectations import (
    DAY_HOURS,
    best_interval_seconds,
    expected_ettr,
)
from apps.training.economics.simulated_ettr import simulated_best_interval

SECOND_MS: Final = 1000
# As near to the formula as several times as many, in a tenth of a page's time (scorecard, E1).
SEGMENTS: Final = 60_000
# What is usual for large runs, in percent (Signal65).
MFU_BAND: Final = (35.0, 45.0)
DIGITS: Final = 3


def save_interval(facts: PeriodFacts, failures: TimeToFailure) -> SaveInterval:
    """Return how often a period's sessions saved, and what would have cost least."""
    attempts = facts.attempts_in(facts.scope.starts_at, facts.scope.ends_at)
    measured = _medians(facts, attempts, "save_interval_ms")
    waits = _medians(facts, attempts, "save_wait_ms")
    restarts = _restarts(facts, attempts)
    mttf = failures.hours.value
    rate = DAY_HOURS / mttf if mttf else None
    best = simulated = at_best = at_measured = None
    if rate and waits.value:
        best = best_interval_seconds(failures_per_day=rate, save_seconds=waits.value)
        if restarts.value is not None:
            simulated = _simulated(_rounded(rate), _rounded(restarts.value), _rounded(waits.value))
            at_best = _ettr(rate, restarts.value, best, waits.value)
    if rate and waits.value and measured.value and restarts.value is not None:
        at_measured = _ettr(rate, restarts.value, measured.value, waits.value)
    return SaveInterval(
        measured_seconds=measured,
        save_seconds=waits,
        restart_seconds=restarts,
        best_seconds=best,
        simulated_seconds=simulated,
        ettr_at_measured=at_measured,
        ettr_at_best=at_best,
    )


def utilization_of(facts: PeriodFacts) -> Utilization:
    """Return how much of what its GPUs could compute a period's attempts computed, where told."""
    attempts = facts.attempts_in(facts.scope.starts_at, facts.scope.ends_at)
    told = [each for each in attempts if each.measure and each.measure.mfu is not None]
    values = [each.measure.mfu for each in told if each.measure and each.measure.mfu is not None]
    low, high = MFU_BAND
    return Utilization(
        median=_median(values, told, missing_saves(facts)),
        within_band=HitShare(hits=sum(low <= each <= high for each in values), n=len(values)),
        band=MFU_BAND,
    )


def _ettr(rate: float, restart: float, interval: float, save: float) -> float:
    return expected_ettr(
        failures_per_day=rate,
        restart_seconds=restart,
        interval_seconds=interval,
        save_seconds=save,
    )


def _medians(facts: PeriodFacts, attempts: Sequence[PeriodAttempt], name: str) -> Figure:
    told = [each for each in attempts if each.measure and getattr(each.measure, name) is not None]
    return _median(
        [getattr(each.measure, name) / SECOND_MS for each in told], told, missing_saves(facts)
    )


def _restarts(facts: PeriodFacts, attempts: Sequence[PeriodAttempt]) -> Figure:
    told = [each for each in attempts if downtime_seconds(each) is not None]
    if not facts.reads_sessions:
        return absent(facts.sessions_absence)
    return _median([downtime_seconds(each) or 0.0 for each in told], told, Absence.NOTHING)


def _median(values: Sequence[float], attempts: Sequence[PeriodAttempt], absence: Absence) -> Figure:
    if not values:
        return absent(absence)
    known = np.array(values, dtype=np.float64)
    return Figure(
        value=float(np.median(known)),
        n=len(values),
        interval=median_interval(known),
        counted=counted(CountedKind.ATTEMPTS, [each.times.name for each in attempts]),
    )


def _rounded(value: float) -> float:
    """Return three digits of a value: what is drawn by chance is no more exact."""
    return round(value, DIGITS - 1 - floor(log10(value))) if value > 0 else 0.0


@lru_cache(maxsize=256)
def _simulated(rate: float, restart: float, save: float) -> float:
    return simulated_best_interval(
        failures_per_day=rate, restart_seconds=restart, save_seconds=save, segments=SEGMENTS
    )
