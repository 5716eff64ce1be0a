"""Exclusions that organizations of the cast tell, and what is read of them."""

from datetime import datetime, timedelta
from typing import Any

from apps.fleet.exclusions import exclusion_rows
from apps.fleet.exclusions.exclusion_report import (
    ExclusionBatch,
    ExclusionIntake,
    ExclusionReport,
    ReturnReport,
)
from apps.fleet.exclusions.exclusion_values import ExclusionView
from apps.fleet.facade.exclusions import exclusions_of
from apps.fleet.models import ExclusionKind
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor

NOW = make.AT + timedelta(days=10)


def left_out(host: str = "gpu001", *, hours: float = 0, **said: Any) -> ExclusionReport:
    """Return that a node is left out so many hours after the cast's instant."""
    fields: dict[str, Any] = {"kind": ExclusionKind.DRAIN, "at": after(hours), **said}
    return ExclusionReport(host=host, **fields)


def back(host: str = "gpu001", *, hours: float, **said: Any) -> ReturnReport:
    """Return that a node is in use again."""
    return ReturnReport(host=host, at=after(hours), **said)


def after(hours: float) -> datetime:
    """Return an instant."""
    return make.AT + timedelta(hours=hours)


def tell(
    cast: Cast, who: Organization, *entries: ExclusionReport | ReturnReport, now: datetime = NOW
) -> ExclusionIntake:
    """Let an organization tell of exclusions and returns; return what came of them."""
    batch = ExclusionBatch(
        exclusions=tuple(each for each in entries if isinstance(each, ExclusionReport)),
        returns=tuple(each for each in entries if isinstance(each, ReturnReport)),
    )
    with organization_scope(who.pk):
        return exclusion_rows.record(cluster=cast.cluster, reporter=who, batch=batch, now=now)


def read(
    cast: Cast, who: Organization, *, now: datetime = NOW, known: tuple[str, ...] = ()
) -> tuple[ExclusionView, ...]:
    """Return what an organization reads of exclusions."""
    with organization_scope(who.pk):
        return exclusions_of(
            actor=actor(who),
            cluster=cast.cluster.slug,
            since=make.AT - timedelta(days=100),
            until=NOW,
            now=now,
            known_hosts=known,
        )
