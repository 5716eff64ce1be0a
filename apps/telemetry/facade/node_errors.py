"""Errors that kernels of nodes printed of their GPUs. Needs the scope of the organization."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Final

from django.db.models import QuerySet
from django.db.models.functions import TruncHour

from apps.diagnosis.signatures.load import load_catalog
from apps.telemetry.models import Event
from apps.tenancy.access import Actor, Right

XIDS: Final = ("xid",)
WITH_SWITCHES: Final = ("xid", "sxid")


@lru_cache(maxsize=2)
def _xid_signatures(decoders: tuple[str, ...]) -> tuple[str, ...]:
    """Return the signatures of lines that print such codes."""
    return tuple(sorted(k for k, one in load_catalog().items() if one.decoder in decoders))


def xid_events(
    *,
    actor: Actor,
    cluster_id: int,
    since: datetime,
    until: datetime,
    decoders: tuple[str, ...] = WITH_SWITCHES,
) -> QuerySet[Event]:
    """Return the Xids and SXids of a span, as the organization's own logs tell."""
    actor.require(Right.READ)
    return Event.objects.for_organization(actor.organization).filter(
        cluster=cluster_id, at__gte=since, at__lt=until, signature__in=_xid_signatures(decoders)
    )


def xids_by_host(
    *, actor: Actor, cluster_id: int, since: datetime, until: datetime
) -> Mapping[str, int]:
    """Return host → how many Xids its kernel printed, as the organization's own logs tell.

    The same kind within one hour counts once: a burst is one fault.
    """
    rows = xid_events(actor=actor, cluster_id=cluster_id, since=since, until=until, decoders=XIDS)
    told = rows.exclude(host="").annotate(hour=TruncHour("at"))
    return Counter(host for host, _, _ in told.values_list("host", "signature", "hour").distinct())
