"""How long recoveries of a period took, part by part, and whether that changed at some date.

Only of the organization's own sessions: steps are told by its own logs. Needs its scope.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean, median
from typing import Any, Final

from apps.reliability.measures.recovery_rows import COLUMNS
from apps.reliability.models import RecoveryMeasure
from apps.reliability.period.scopes import PeriodScope
from apps.tenancy.access import Actor, Right
from apps.training.instants import SECOND_MS
from apps.training.retries.recovery_change import RecoveryChange, recovery_change
from apps.training.retries.recovery_marks import MarkKind, Stage

MOST_ROWS: Final = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRecovery:
    """One recovery of a session."""

    session: str
    stopped: int
    following: int
    starts_at: datetime
    by_stage: Mapping[Stage, int]  # milliseconds
    missing: tuple[MarkKind, ...]
    is_complete: bool

    @property
    def total_ms(self) -> int:
        """Return all of it."""
        return sum(self.by_stage.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class StageMean:
    """What one part took on average, before and after; None of nothing."""

    stage: Stage
    before_seconds: float | None
    after_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryList:
    """The recoveries of a period, the newest first.

    `change` and the means are of recoveries after which steps were made again; None where one side
    of the date has none.
    """

    scope: PeriodScope
    recoveries: tuple[MeasuredRecovery, ...]
    median_seconds: float | None
    changed_at: datetime | None
    change: RecoveryChange | None
    stages: tuple[StageMean, ...]
    is_cut: bool

    @property
    def complete_count(self) -> int:
        """Return how many reached another step: the median is of these."""
        return sum(each.is_complete for each in self.recoveries)


def recoveries_in_period(
    *, actor: Actor, scope: PeriodScope, changed_at: datetime | None = None
) -> RecoveryList:
    """Return the recoveries that began in a period, compared before and after a date."""
    actor.require(Right.READ)
    own = RecoveryMeasure.objects.for_organization(actor.organization)
    rows = own.filter(starts_at__gte=scope.starts_at, starts_at__lt=scope.ends_at)
    if scope.cluster is not None:
        rows = rows.filter(session__cluster=scope.cluster.id)
    if not scope.with_simulated:
        rows = rows.filter(session__is_simulated=False)
    columns = (
        *("session__public_id", "stopped", "attempt__number", "starts_at", "missing"),
        *("is_complete", *COLUMNS.values()),
    )
    newest = rows.order_by("-starts_at", "-id").values_list(*columns)
    found = [_measured(row) for row in newest[:MOST_ROWS]]
    whole = [each for each in found if each.is_complete]
    before, after = _sides(whole, changed_at)
    return RecoveryList(
        scope=scope,
        recoveries=tuple(found),
        median_seconds=median(map(_seconds, whole)) if whole else None,
        changed_at=changed_at,
        change=recovery_change([*map(_seconds, before)], [*map(_seconds, after)]),
        stages=tuple(_means(before, after)),
        is_cut=len(found) == MOST_ROWS,
    )


def _measured(row: Sequence[Any]) -> MeasuredRecovery:
    session, stopped, following, starts_at, missing, is_complete, *spent = row
    return MeasuredRecovery(
        session=str(session),
        stopped=stopped,
        following=following,
        starts_at=starts_at,
        by_stage=dict(zip(COLUMNS, spent, strict=True)),
        missing=tuple(map(MarkKind, missing)),
        is_complete=bool(is_complete),
    )


def _sides(
    found: Sequence[MeasuredRecovery], changed_at: datetime | None
) -> tuple[list[MeasuredRecovery], list[MeasuredRecovery]]:
    if changed_at is None:
        return [], list(found)
    before = [each for each in found if each.starts_at < changed_at]
    return before, [each for each in found if each.starts_at >= changed_at]


def _means(
    before: Sequence[MeasuredRecovery], after: Sequence[MeasuredRecovery]
) -> list[StageMean]:
    return [
        StageMean(
            stage=stage, before_seconds=_mean(before, stage), after_seconds=_mean(after, stage)
        )
        for stage in Stage
        if any(each.by_stage[stage] for each in (*before, *after))
    ]


def _mean(some: Sequence[MeasuredRecovery], stage: Stage) -> float | None:
    return fmean(each.by_stage[stage] for each in some) / SECOND_MS if some else None


def _seconds(each: MeasuredRecovery) -> float:
    return each.total_ms / SECOND_MS
