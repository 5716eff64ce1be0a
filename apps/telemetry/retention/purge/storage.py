"""What the storage path and stragglers were goes with the facts that it was made of."""

from datetime import datetime
from typing import Final

from apps.telemetry.models import (
    CollectiveTail,
    LoggedCheckpoints,
    StoragePhase,
    StorageSlot,
    StragglerFinding,
)
from apps.telemetry.retention import usage
from apps.telemetry.retention.classes import RetentionClass, old_before
from apps.telemetry.retention.deletions import ROWS_AT_ONCE, PurgeCount
from apps.tenancy.models import OwnedModel

# By which of its times each is old.
AGES: Final[tuple[tuple[type[OwnedModel], str], ...]] = (
    (StorageSlot, "starts_at"),
    (StoragePhase, "ends_at"),
    (LoggedCheckpoints, "ends_at"),
    (StragglerFinding, "added_at"),
    (CollectiveTail, "told_at"),
)


def drop_storage(*, organization_id: int, now: datetime) -> PurgeCount:
    """Drop rollups, saves and loads, and findings of traces past their time. Needs the scope."""
    before = old_before(kind=RetentionClass.EVENTS, now=now)
    counts = [_drop(model, age, organization_id, before) for model, age in AGES]
    return PurgeCount(
        row_count=sum(each.row_count for each in counts),
        byte_count=sum(each.byte_count for each in counts),
        oldest_at=min((each.oldest_at for each in counts if each.oldest_at), default=None),
        is_more=any(each.is_more for each in counts),
    )


def _drop(model: type[OwnedModel], age: str, organization_id: int, before: datetime) -> PurgeCount:
    own = model._default_manager.filter(organization=organization_id)  # noqa: SLF001  by its model
    old = own.filter(**{f"{age}__lt": before}).order_by(age, "id")
    rows = list(old.values_list("id", age)[:ROWS_AT_ONCE])
    own.filter(pk__in=[row[0] for row in rows]).delete()
    return PurgeCount(
        row_count=len(rows),
        byte_count=len(rows) * usage.row_bytes(model),
        oldest_at=rows[0][1] if rows else None,
        is_more=len(rows) == ROWS_AT_ONCE,
    )
