"""What an organization has to be told of its agreements: what waits for it, and what ends soon."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db.models import Q

from apps.diagnosis.model import Statement, statement
from apps.fleet.values import ClusterName
from apps.sharing.agreements import access_agreements
from apps.sharing.facade.agreements import AgreementView, list_agreements
from apps.sharing.models import AgreementVersion
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName

ENDS_SOON: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementNews:
    """A version that waits for an answer, or that ends soon."""

    public_id: str
    cluster: ClusterName
    other: OrganizationName
    number: int
    ends_at: datetime | None  # None: it waits for the organization's answer
    is_simulated: bool


def waiting_said(*, other: OrganizationName, cluster: ClusterName) -> Statement:
    """Return what is said of an agreement that waits for the reader's answer."""
    return statement("agreement-proposed", name=other.name, cluster=cluster.name)


def ending_said(*, other: OrganizationName, cluster: ClusterName, ends_at: datetime) -> Statement:
    """Return what is said of an agreement that ends soon."""
    day = f"{ends_at.astimezone(UTC):%Y-%m-%d}"
    return statement("agreement-ending", name=other.name, cluster=cluster.name, day=day)


def ends_soon(*, view: AgreementView, now: datetime) -> datetime | None:
    """Return when an agreement ends that ends within days, None for another one."""
    until = view.current.until if view.current else None
    return until if until is not None and until - ENDS_SOON <= now else None


def agreement_news(
    *, organization: Organization, since: datetime, now: datetime
) -> tuple[AgreementNews, ...]:
    """Return what was proposed since then and still waits, and what ends soon. Needs the scope."""
    fresh = Q(counterpart=organization, proposed_at__gt=since, lapses_at__gt=now)
    soon = Q(until__gt=now, until__lte=now + ENDS_SOON)
    if not AgreementVersion.objects.filter(fresh | soon).exists():
        return ()
    reader = Actor(organization=organization, rights=frozenset({Right.READ}))
    simulated = set(
        access_agreements(actor=reader)
        .filter(cluster__is_simulated=True)
        .values_list("public_id", flat=True)
    )
    found = []
    for view in list_agreements(actor=reader, now=now):
        is_simulated = view.public_id in simulated
        waiting = view.waiting if view.waits_for_reader else None
        if waiting is not None and waiting.proposed_at > since:
            found.append(_news(view, waiting.number, None, is_simulated=is_simulated))
        ends_at = ends_soon(view=view, now=now)
        if view.current is not None and ends_at is not None:
            found.append(_news(view, view.current.number, ends_at, is_simulated=is_simulated))
    return tuple(found)


def _news(
    view: AgreementView, number: int, ends_at: datetime | None, *, is_simulated: bool
) -> AgreementNews:
    return AgreementNews(
        public_id=view.public_id,
        cluster=view.cluster,
        other=view.other,
        number=number,
        ends_at=ends_at,
        is_simulated=is_simulated,
    )
