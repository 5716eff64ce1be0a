"""Failures of a time and how long sessions ran for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.diagnosis.intervals import count_interval
from apps.diagnosis.model import EndState
from apps.incidents.projection.counted_incidents import CountedIncident
from apps.reliability.period.facts import HOUR_SECONDS, PeriodAttempt, PeriodFacts
from apps.reliability.period.scopes import (
    Absence,
    CountedKind,
    Figure,
    absent,
    counted,
)
from apps.reliability.period.values import TimeToFailure
from apps.reliability.sessions.attempt_facts import end_state
from apps.training.economics.expectations import DAY_HOURS, MeasuredMttf, expected_mttf

STOP: Final = "stop"
INFRASTRUCTURE: Final = frozenset({"gpu", "network", "storage", "host"})
CURVE_GPUS: Final = (8, 64, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An attempt that stopped, and the layer that is blamed for it; empty: nothing is said."""

    attempt: PeriodAttempt
    layer: str


def failures_in(facts: PeriodFacts, starts_at: datetime, ends_at: datetime) -> list[Failure]:
    """Return the attempts that failed in a time: by their state, or by an incident that says so."""
    layers = _layers(facts.incidents)
    stopped = {
        each.attempt_id for each in facts.incidents_in(starts_at, ends_at) if each.kind == STOP
    }
    return [
        Failure(attempt=each, layer=layers.get(each.times.id, ""))
        for each in facts.attempts
        if each.times.id in stopped or _failed(each, starts_at, ends_at)
    ]


def _layers(incidents: Sequence[CountedIncident]) -> Mapping[int, str]:
    """Return attempt → the layer blamed for its stop; its own incident goes before a shared one."""
    found: dict[int, str] = {}
    for incident in sorted(incidents, key=lambda each: each.kind == STOP):
        found |= dict.fromkeys(incident.attempt_ids, incident.layer)
    return found


def _failed(one: PeriodAttempt, starts_at: datetime, ends_at: datetime) -> bool:
    ended = one.times.ended_at
    has_failed = end_state(one.times.state) is EndState.FAILED
    return has_failed and ended is not None and starts_at <= ended < ends_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """How long and on how much sessions ran."""

    run_hours: float
    node_days: float | None
    typical_gpus: int | None
    endless_count: int


def exposure_in(facts: PeriodFacts, starts_at: datetime, ends_at: datetime) -> Exposure:
    """Return how long attempts ran in a time."""
    ran = [
        (each, each.seconds_in(starts_at, ends_at) / HOUR_SECONDS)
        for each in facts.attempts_in(starts_at, ends_at)
    ]
    placed = [len(each.times.hosts) * hours for each, hours in ran if each.times.hosts]
    return Exposure(
        run_hours=sum(hours for _, hours in ran),
        node_days=sum(placed) / DAY_HOURS if placed else None,
        typical_gpus=_typical(
            [(each.times.gpus, hours * each.times.gpus) for each, hours in ran if each.times.gpus]
        ),
        endless_count=sum(each.is_endless for each, _ in ran),
    )


def _typical(weighed: Sequence[tuple[int, float]]) -> int | None:
    """Return the size up to which half of all GPU-hours were spent."""
    half, spent = sum(weight for _, weight in weighed) / 2, 0.0
    for gpus, weight in sorted(weighed):
        spent += weight
        if weight and spent >= half:
            return gpus
    return None


def mttf_figure(failures: Sequence[Failure], run_hours: float) -> Figure:
    """Return the hours of running for each failure; of none what they are at least."""
    if not run_hours:
        return absent(Absence.NOTHING)
    told = MeasuredMttf(failures=len(failures), node_days=0.0, run_hours=run_hours)
    low, high = told.interval
    return Figure(
        value=told.hours,
        n=len(failures),
        interval=(low, high if failures else None),
        counted=counted(CountedKind.ATTEMPTS, [each.attempt.times.name for each in failures]),
        absence=None if failures else Absence.NOTHING,
    )


def time_to_failure(facts: PeriodFacts) -> TimeToFailure:
    """Return how long sessions of a period ran for each failure."""
    scope = facts.scope
    exposure = exposure_in(facts, scope.starts_at, scope.ends_at)
    failures = failures_in(facts, scope.starts_at, scope.ends_at)
    blamed = [each for each in failures if each.layer in INFRASTRUCTURE]
    hidden = absent(facts.sessions_absence)
    gpus = exposure.typical_gpus
    return TimeToFailure(
        hours=mttf_figure(failures, exposure.run_hours) if facts.reads_sessions else hidden,
        infrastructure_hours=(
            mttf_figure(blamed, exposure.run_hours) if facts.reads_sessions else hidden
        ),
        per_1000_node_days=_rate(blamed, exposure.node_days) if facts.reads_sessions else hidden,
        run_hours=exposure.run_hours if facts.reads_sessions else None,
        node_days=exposure.node_days,
        typical_gpus=gpus,
        expected=expected_mttf(gpus=gpus) if gpus else None,
        curve=tuple(expected_mttf(gpus=each) for each in CURVE_GPUS),
        endless_count=exposure.endless_count,
    )


def _rate(failures: Sequence[Failure], node_days: float | None) -> Figure:
    if not node_days:
        return absent(Absence.NOT_TOLD, n=len(failures))
    low, high = count_interval(len(failures))
    scale = 1000 / node_days
    return Figure(
        value=len(failures) * scale,
        n=len(failures),
        interval=(low * scale, high * scale),
        counted=counted(CountedKind.ATTEMPTS, [each.attempt.times.name for each in failures]),
    )
