"""Attempts with traces → the table over all of them, and month by month."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Final

from apps.fleet.facade.placements import AttemptPlace
from apps.reliability.stragglers.values import FleetMonth, JobRow
from apps.telemetry.models import StragglerFinding
from apps.training.stragglers.fleet import StragglerFleet, StragglingJob, fleet_table
from apps.training.stragglers.verdict import StragglerCause

HOUR: Final = 3600.0


def job_rows(
    *,
    findings: Iterable[StragglerFinding],
    places: Mapping[tuple[int, int], AttemptPlace],
    now: datetime,
) -> tuple[JobRow, ...]:
    """Return one row an attempt, by its start. Of several traces the highest S counts."""
    best: dict[tuple[int, int], StragglerFinding] = {}
    for row in findings:
        key = (row.session_id, row.attempt_number)
        if key in places and row.cause:
            known = best.get(key)
            if known is None or _rank(row) > _rank(known):
                best[key] = row
    rows = (_job(row, places[key], now) for key, row in best.items())
    return tuple(sorted(rows, key=lambda each: (str(each.started_at), each.session, each.attempt)))


def fleet_of(jobs: Sequence[JobRow]) -> tuple[StragglerFleet, int]:
    """Return the table of these jobs, and of how many nobody told their GPU-hours."""
    told = [
        StragglingJob(
            job=f"{each.session}#{each.attempt}",
            slowdown=each.slowdown or 1.0,
            gpu_hours=each.gpu_hours or 0.0,
            cause=StragglerCause(each.cause),
        )
        for each in jobs
    ]
    return fleet_table(told), sum(each.gpu_hours is None for each in jobs)


def months_of(jobs: Sequence[JobRow]) -> tuple[FleetMonth, ...]:
    """Return the months in which jobs with a trace started, the newest first."""
    by_month: dict[date, list[JobRow]] = defaultdict(list)
    for each in jobs:
        if each.started_at is not None:
            by_month[each.started_at.astimezone(UTC).date().replace(day=1)].append(each)
    found = []
    for month in sorted(by_month, reverse=True):
        fleet, unknown = fleet_of(by_month[month])
        found.append(FleetMonth(month=month, fleet=fleet, unknown_hours_count=unknown))
    return tuple(found)


def _rank(row: StragglerFinding) -> tuple[bool, float, int]:
    """A trace that was refused counts only where there is no other."""
    return row.slowdown is not None, row.slowdown or 0.0, row.pk


def _job(row: StragglerFinding, place: AttemptPlace, now: datetime) -> JobRow:
    hours = None
    if place.world_size:
        length = (place.ended_at or now) - place.started_at
        hours = place.world_size * max(length.total_seconds(), 0.0) / HOUR
    wasted = None
    if hours is not None and row.slowdown is not None:
        wasted = hours * max(0.0, 1 - 1 / row.slowdown)
    return JobRow(
        session=place.session,
        session_name=place.session_name,
        attempt=row.attempt_number,
        started_at=place.started_at,
        cause=row.cause,
        slowdown=row.slowdown,
        gpu_hours=hours,
        wasted_gpu_hours=wasted,
    )
