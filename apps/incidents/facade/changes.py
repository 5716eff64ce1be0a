"""How incidents stand, for those who tell an organization of changes. Needs its scope."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, QuerySet

from apps.incidents.models import Incident, IncidentParty
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.headers import read_headers
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.values import ValueList, value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentState:
    """What of an incident is compared with what was told of it before."""

    id: int
    kind: str
    status: str
    revision: int
    step_count: int  # of people who work on it together
    verdict_status: str
    detected_at: datetime
    settled_at: datetime | None
    followed_by_id: int | None  # the stop after it that says the same
    has_followers_culprits: bool  # that one blames the same parts, too
    sees_culprit: bool  # the organization reads whom it blames
    session_id: int | None  # None: the organization may not know whom it hit
    attempt_number: int | None


def states_since(*, organization_id: int, since: datetime) -> ValueList[IncidentState]:
    """Return how incidents stand that were detected since then, of which the organization is a
    party; who left the cluster is none any more. In the order in which they were made.
    """
    mine = _parties(organization_id).filter(incident=OuterRef("pk"))
    rows = Incident.objects.filter(Exists(mine), detected_at__gte=since)
    return ValueList(
        rows=_states(rows, organization_id).order_by("id"),
        project=lambda found: [value_of(IncidentState, each) for each in found],
    )


def states_of(*, organization_id: int, ids: Collection[int]) -> dict[int, IncidentState]:
    """Return id → how these incidents stand now."""
    rows = _states(Incident.objects.filter(pk__in=ids), organization_id)
    return {each.pk: value_of(IncidentState, each) for each in rows}


def still_party(*, organization_id: int) -> Exists:
    """Return the condition that the organization is a party of a row's `incident`."""
    return Exists(_parties(organization_id).filter(incident=OuterRef("incident_id")))


def party_of(*, organization_id: int, ids: Collection[int]) -> frozenset[int]:
    """Return of which of these incidents the organization is a party; who left is none."""
    rows = _parties(organization_id).filter(incident__in=ids)
    return frozenset(rows.values_list("incident_id", flat=True))


def header_as_told(*, organization: Organization, incident_id: int) -> IncidentHeader | None:
    """Return the header as the organization reads it; None where it reads nothing of it."""
    reader = Actor(organization=organization, rights=frozenset({Right.READ}))
    rows = list(Incident.objects.filter(pk=incident_id).select_related("cluster"))
    return next(iter(read_headers(actor=reader, incidents=rows)), None)


def _parties(organization_id: int) -> QuerySet[IncidentParty]:
    return IncidentParty.objects.for_organization(organization_id).filter(left_at=None)


def _states(rows: QuerySet[Incident], organization_id: int) -> QuerySet[Incident]:
    sees = IncidentParty.objects.for_organization(organization_id).filter(sees_culprit=True)
    return rows.annotate(
        sees_culprit=Exists(sees.filter(incident=OuterRef("pk"))),
        session_id=F("attempt__session_id"),
        attempt_number=F("attempt__number"),
    )
