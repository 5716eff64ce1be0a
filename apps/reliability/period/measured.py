"""Rows of measures → values of a period. Needs the organization's scope."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import reduce
from operator import add
from typing import Any, Final, TypeVar

from django.db.models import (
    BigIntegerField,
    BooleanField,
    ExpressionWrapper,
    F,
    Max,
    Model,
    Q,
    QuerySet,
    Sum,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Extract

from apps.reliability.measures.rows import COLUMNS
from apps.reliability.models import AttemptHour, AttemptMeasure
from apps.reliability.period.facts import AttemptPace, HourRow, MeasuredAttempt, UseRow
from apps.reliability.period.scopes import PeriodScope
from apps.tenancy.database.one_of import one_of_ids
from apps.training.economics.timelines import TimeUse

Rows = TypeVar("Rows", bound=Model)
NAMES: Final = tuple(each.name for each in fields(MeasuredAttempt))


def measured_attempts(
    *, organization_id: int, attempt_ids: Collection[int]
) -> Mapping[int, MeasuredAttempt]:
    """Return attempt id → what was measured, of the organization's own."""
    own = AttemptMeasure.objects.for_organization(organization_id)
    rows = own.filter(one_of_ids("attempt_id", attempt_ids)).values_list(*NAMES)
    return {row[0]: MeasuredAttempt(**dict(zip(NAMES, row, strict=True))) for row in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredSessions:
    """Whose hours are read: of all its sessions, or of some attempts alone, from a time on."""

    organization_id: int
    attempt_ids: Collection[int] | None = None
    since: datetime | None = None


def use_rows(
    *, of: MeasuredSessions, scope: PeriodScope, before: datetime
) -> tuple[list[UseRow], list[UseRow]]:
    """Return what each session of which steps are known did in a period and `before` it, from then
    on: in full hours.
    """
    # Of other names than their columns: else one would be a sum of sums.
    sums: dict[str, Any] = {f"sum_{name}": _sum(F(name)) for name in COLUMNS.values()}
    sums |= {f"gpu_{name}": _sum(F(name) * F("gpus")) for name in COLUMNS.values()}
    is_before = ExpressionWrapper(Q(hour__lt=scope.starts_at), output_field=BooleanField())
    told = _told(of, scope, before, scope.ends_at).annotate(is_before=is_before)
    rows = told.values("session__public_id", "is_before").annotate(**sums)
    found: tuple[list[UseRow], list[UseRow]] = ([], [])
    for row in rows.order_by("session__public_id"):
        found[row["is_before"]].append(_use_row(row))
    return found


def _sum(milliseconds: Combinable) -> Cast:
    # Whole numbers: sums of such columns are decimals, which take long to read by the thousand.
    return Cast(Sum(milliseconds), BigIntegerField())


def hour_rows(*, of: MeasuredSessions, scope: PeriodScope) -> list[HourRow]:
    """Return what all of them did together, hour by hour."""
    # As seconds: a season has thousands of hours, and numbers are read in no time.
    epoch = Cast(Extract("hour", "epoch"), BigIntegerField())
    rows = _told(of, scope, scope.starts_at, scope.ends_at).values(at=epoch)
    wall = reduce(add, map(F, COLUMNS.values()))
    sums = rows.annotate(productive=_sum(F("productive_ms")), wall=_sum(wall)).order_by("at")
    return [
        HourRow(hour=datetime.fromtimestamp(at, UTC), productive_ms=productive, wall_ms=wall_ms)
        for at, productive, wall_ms in sums.values_list("at", "productive", "wall")
    ]


def paces_of(*, of: MeasuredSessions, scope: PeriodScope) -> list[AttemptPace]:
    """Return how fast the attempts of a period made their steps, as far as lines tell."""
    own = AttemptMeasure.objects.for_organization(of.organization_id)
    since = max(of.since or scope.starts_at, scope.starts_at)
    rows = own.filter(starts_at__lt=scope.ends_at, ends_at__gte=since, is_told=True)
    told = rows.exclude(step_seconds=None, tokens_per_second=None)
    columns = ("session__public_id", "step_seconds", "tokens_per_second")
    found = _within(of, scope, told).order_by("starts_at", "id").values_list(*columns)
    return [
        AttemptPace(session=session, step_seconds=seconds, tokens_per_second=tokens)
        for session, seconds, tokens in found
    ]


def measured_until(*, of: MeasuredSessions, scope: PeriodScope) -> datetime | None:
    """Return up to when sessions that still run were measured."""
    own = AttemptMeasure.objects.for_organization(of.organization_id)
    if of.attempt_ids is not None:
        own = own.filter(attempt__in=of.attempt_ids)
    running = own.filter(is_running=True, ends_at__lt=scope.ends_at)
    found: datetime | None = running.aggregate(last=Max("ends_at"))["last"]
    return found


def _told(
    of: MeasuredSessions, scope: PeriodScope, starts_at: datetime, ends_at: datetime
) -> QuerySet[AttemptHour]:
    own = AttemptHour.objects.for_organization(of.organization_id)
    since = max(of.since or starts_at, starts_at)  # the hour in which it falls is left out
    return _within(of, scope, own.filter(hour__gte=since, hour__lt=ends_at, is_told=True))


def _within(of: MeasuredSessions, scope: PeriodScope, rows: QuerySet[Rows]) -> QuerySet[Rows]:
    if of.attempt_ids is not None:
        rows = rows.filter(attempt__in=of.attempt_ids)
    if scope.cluster is not None:
        rows = rows.filter(session__cluster=scope.cluster.id)
    return rows if scope.with_simulated else rows.filter(session__is_simulated=False)


def _use_row(row: Mapping[str, Any]) -> UseRow:
    by_use = {use.value: int(row[f"sum_{name}"] or 0) for use, name in COLUMNS.items()}
    of_gpus = {use.value: row[f"gpu_{name}"] for use, name in COLUMNS.items()}
    is_sized = of_gpus[TimeUse.PRODUCTIVE.value] is not None
    return UseRow(
        session=row["session__public_id"],
        by_use=by_use,
        gpu_ms_by_use={use: int(spent) for use, spent in of_gpus.items()} if is_sized else None,
    )
