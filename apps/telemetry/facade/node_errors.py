"""Errors that kernels of nodes printed of their GPUs. Needs the scope of the organization."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Final

from django.db.models.functions import TruncHour

from apps.diagnosis.signatures.load import load_catalog
from apps.telemetry.models import Event
from apps.tenancy.access import Actor, Right

DECODER: Final = "xid"


@lru_cache(maxsize=1)
def _xid_signatures() -> tuple[str, ...]:
    """Return the signatures of lines that print an Xid."""
    return tuple(sorted(k for k, one in load_catalog().items() if one.decoder == DECODER))


def xids_by_host(
    *, actor: Actor, cluster_id: int, since: datetime, until: datetime
) -> Mapping[str, int]:
    """Return host → how many Xids its kernel printed, as the organization's own logs tell.

    The same kind within one hour counts once: a burst is one fault.
    """
    actor.require(Right.READ)
    rows = Event.objects.for_organization(actor.organization).filter(
        cluster=cluster_id, at__gte=since, at__lt=until, signature__in=_xid_signatures()
    )
    told = rows.exclude(host="").annotate(hour=TruncHour("at"))
    return Counter(host for host, _, _ in told.values_list("host", "signature", "hour").distinct())
