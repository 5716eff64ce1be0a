"""What an organization has to be told of bundles: those that were sent to it."""

from dataclasses import dataclass
from datetime import datetime

from apps.diagnosis.model import Statement, statement
from apps.fleet.values import ClusterName
from apps.sharing.facade.bundles import list_bundles
from apps.sharing.models import BundleAct, BundleActKind
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleNews:
    """A bundle that was sent."""

    public_id: str
    incident: str
    cluster: ClusterName
    holder: OrganizationName
    expires_at: datetime
    is_simulated: bool


def sent_said(*, holder: OrganizationName, incident: str) -> Statement:
    """Return what is said of a bundle that was sent to the reader."""
    return statement("bundle-sent", name=holder.name, incident=incident)


def bundle_news(
    *, organization: Organization, since: datetime, now: datetime
) -> tuple[BundleNews, ...]:
    """Return what was sent to an organization since then, and can be read. Needs the scope."""
    fresh = BundleAct.objects.filter(
        counterpart=organization, kind=BundleActKind.SENT, at__gt=since
    ).exclude(organization=organization)
    ids = set(fresh.values_list("bundle__public_id", flat=True))
    if not ids:
        return ()
    reader = Actor(organization=organization, rights=frozenset({Right.READ}))
    return tuple(
        BundleNews(
            public_id=view.public_id,
            incident=view.incident,
            cluster=view.cluster,
            holder=view.holder,
            expires_at=view.expires_at,
            is_simulated=view.is_simulated,
        )
        for view in list_bundles(actor=reader, now=now)
        if view.public_id in ids and view.is_readable and not view.is_own
    )
