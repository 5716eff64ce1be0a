"""Events that are Xids of GPUs, or SXids of switches. Needs the scope of the organization."""

from datetime import datetime
from functools import lru_cache
from typing import Final

from django.db.models import QuerySet

from apps.diagnosis.signatures.load import load_catalog
from apps.telemetry.models import Event
from apps.tenancy.access import Actor, Right

XIDS: Final = ("xid",)
WITH_SWITCHES: Final = ("xid", "sxid")


@lru_cache(maxsize=2)
def _signatures(decoders: tuple[str, ...]) -> tuple[str, ...]:
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
    """Return those of a span, as the organization's own logs tell."""
    actor.require(Right.READ)
    return Event.objects.for_organization(actor.organization).filter(
        cluster=cluster_id, at__gte=since, at__lt=until, signature__in=_signatures(decoders)
    )
