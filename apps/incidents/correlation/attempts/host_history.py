"""What broke before on a cluster's hosts, as one tenant knows it: a prior for its next stop."""

from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.model import Layer, PastFailure, VerdictStatus
from apps.incidents.models import Incident
from apps.incidents.states import IncidentKind, IncidentStatus

REMEMBERED: Final = timedelta(days=30)


def past_failures(
    *, organization_id: int, cluster_id: int | None, started_at: datetime | None
) -> tuple[PastFailure, ...]:
    """Return who was to blame for the tenant's own stops before an attempt began.

    Other tenants' stops stay out: evidence must not tell that they happened. Needs the owner's
    scope.
    """
    if cluster_id is None or started_at is None:
        return ()
    rows = (
        Incident.objects.filter(
            organization_id=organization_id,
            cluster_id=cluster_id,
            kind=IncidentKind.STOP,
            verdict_status=VerdictStatus.LIKELY,
            started_at__gte=started_at - REMEMBERED,
            started_at__lt=started_at,
        )
        .exclude(status=IncidentStatus.WITHDRAWN)
        .order_by("started_at", "pk")
        .values_list("layer", "cause", "culprits", "started_at")
    )
    return tuple(
        PastFailure(host=host, layer=Layer(layer), cause=cause, at=at)
        for layer, cause, culprits, at in rows
        for host in sorted({each["host"] for each in culprits if each.get("host")})
    )
