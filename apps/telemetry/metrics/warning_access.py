"""Which warnings a reader may see, and which stood before a stop."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from apps.telemetry.metrics.warnings import LOOK_BACK
from apps.telemetry.models import EarlyWarning
from apps.tenancy.access import Actor, NotFound, Right


def access_episodes(
    *,
    actor: Actor,
    cluster: str | None = None,
    layer: str | None = None,
    is_page: bool | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[EarlyWarning]:
    """Return the episodes of the actor's organization, withdrawn ones too, the newest first."""
    actor.require(Right.READ)
    wanted = {
        "cluster__slug": cluster,
        "layer": layer,
        "is_page": is_page,
        "raised_at__gte": since,
        "raised_at__lt": until,
    }
    rows = EarlyWarning.objects.for_organization(actor.organization).select_related("cluster")
    named = {column: value for column, value in wanted.items() if value is not None}
    return rows.filter(**named).order_by("-raised_at", "-id")


def access_episode(*, actor: Actor, public_id: str) -> EarlyWarning:
    """Return one episode of the actor's organization; raise NotFound."""
    row = access_episodes(actor=actor).filter(public_id=public_id).first()
    if row is None:
        raise NotFound
    return row


def warnings_before(
    *,
    actor: Actor,
    cluster_id: int,
    parts: Iterable[Mapping[str, Any]],
    failed_at: datetime,
    within: timedelta = LOOK_BACK,
) -> list[EarlyWarning]:
    """Return the warnings on parts (or their hosts) that were raised before an instant, oldest
    first; `parts` are culprits in the published form.
    """
    rows = EarlyWarning.objects.for_organization(actor.organization).filter(cluster_id=cluster_id)
    return before_failure(rows=rows, parts=parts, failed_at=failed_at, within=within)


def before_failure(
    *,
    rows: QuerySet[EarlyWarning],
    parts: Iterable[Mapping[str, Any]],
    failed_at: datetime,
    within: timedelta = LOOK_BACK,
) -> list[EarlyWarning]:
    """Return those of these episodes that warned of the parts before an instant, oldest first."""
    hosts = {str(part["host"]) for part in parts if part.get("host")}
    names = {str(part["name"]) for part in parts if not part.get("host") and part.get("name")}
    found = (
        rows.select_related("cluster")
        .filter(is_page=True, withdrawn_at=None)
        .filter(raised_at__gte=failed_at - within, raised_at__lte=failed_at)
        .filter(Q(host__in=hosts) | Q(entity__name__in=names, host=""))
    )
    return list(found.order_by("raised_at", "id"))
