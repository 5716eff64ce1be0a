"""What lists of incidents are narrowed by beyond state, layer and time: as their reader reads them.

Whom an incident blames narrows only for who sees it, sessions only for who may know of them, and
parties only to those that the reader knows.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q, QuerySet

from apps.diagnosis.input_values import storable
from apps.fleet.access import access_sessions
from apps.incidents.models import Incident, IncidentParty, IncidentSession
from apps.incidents.projection.access import access_incidents, known_parties
from apps.incidents.projection.reader_scope import one_of_several_tenants
from apps.incidents.projection.rights import SEES_SESSIONS
from apps.tenancy.access import Actor
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, name_of

MOST_HIT: Final = 2000
MOST_LOOKED_AT: Final = 500  # incidents: whose parties a reader may choose from


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentFilter:
    """What is asked for; what is empty is not."""

    public_id: str = ""
    cause: str = ""
    host: str = ""  # that is blamed
    session: str = ""  # that was hit: its id, name or job
    party: str = ""  # a slug
    cluster: str = ""  # a slug
    ids: Collection[int] | None = None


def narrowed(rows: QuerySet[Any], *, actor: Actor, wanted: IncidentFilter) -> QuerySet[Any]:
    """Return those of these incidents that are asked for. `rows` came through the door."""
    asked = Q()
    if wanted.public_id:
        asked &= Q(shown_id__iexact=storable(wanted.public_id))
    if wanted.cause:
        asked &= Q(kept=None, cause=wanted.cause) | Q(kept__header__cause=wanted.cause)
    if wanted.cluster:
        asked &= Q(cluster__slug=wanted.cluster)
    if wanted.ids is not None:
        asked &= Q(pk__in=wanted.ids)
    if wanted.host:
        asked &= _blames(actor, wanted.host.lower())
    if wanted.session:
        asked &= _hit(actor, storable(wanted.session))
    if wanted.party:
        asked &= _with_party(actor, wanted.party)
    return rows.filter(asked)


def _blames(actor: Actor, host: str) -> Q:
    """Return the condition that a host is blamed, as the reader reads that."""
    parties = IncidentParty.objects.for_organization(actor.organization)
    part = [{"host": host}]
    seen = Q(pk__in=parties.filter(sees_culprit=True).values("incident_id"))
    several = Q(pk__in=parties.filter(one_of_several_tenants()).values("incident_id"))
    own = IncidentSession.objects.for_organization(actor.organization)
    mine = own.filter(conclusion__header__culprits__contains=part).values("incident_id")
    now = Q(culprits__contains=part) & ~several | several & Q(pk__in=mine)
    then = Q(kept__header__culprits__contains=part)
    return seen & (Q(kept=None) & now | then)


def _hit(actor: Actor, name: str) -> Q:
    parties = IncidentParty.objects.for_organization(actor.organization)
    seen = parties.filter(parts__overlap=sorted(SEES_SESSIONS)).values("incident_id")
    named = Q(public_id__iexact=name) | Q(name=name) | Q(job=name)
    ids = list(access_sessions(actor=actor).filter(named).values_list("pk", flat=True)[:MOST_HIT])
    hit = IncidentSession.objects.filter(session__in=ids).values("incident_id")
    now = Q(kept=None) & (Q(pk__in=hit) | Q(attempt__session__in=ids))
    return Q(pk__in=seen) & (now | Q(kept__session_ids__overlap=ids))


def _with_party(actor: Actor, slug: str) -> Q:
    """Return the condition that an organization is a party that the reader knows.

    One tenant learns of no other: what it would not read on the page narrows nothing here.
    """
    found = Organization.objects.filter(slug=slug).first()
    if found is None:
        return Q(pk=None)
    is_party = _lists({"organization": found.pk})
    if found.pk == actor.organization.pk:
        return is_party
    mine = IncidentParty.objects.for_organization(actor.organization)
    as_tenant = mine.filter(parts=["tenant"]).values("incident_id")
    is_tenant = _lists({"organization": found.pk, "parts": ["tenant"]})
    return is_party & ~(Q(pk__in=as_tenant) & is_tenant)


def _lists(party: dict[str, Any]) -> Q:
    """Return the condition that a party is listed; for who left, among those of then."""
    now, then = Q(kept=None, parties__contains=[party]), Q(kept__header__parties__contains=[party])
    return now | then


def sessions_hit(*, actor: Actor, layer: str, cause: str) -> frozenset[int]:
    """Return the sessions that the newest incidents of a layer or cause hit."""
    rows = access_incidents(actor=actor, layer=layer or None)
    ids = list(
        narrowed(rows, actor=actor, wanted=IncidentFilter(cause=cause))
        .filter(kept=None)
        .values_list("pk", flat=True)[:MOST_HIT]
    )
    hit = IncidentSession.objects.filter(incident__in=ids)
    return frozenset(hit.values_list("session_id", flat=True))


def met_parties(*, actor: Actor) -> tuple[OrganizationName, ...]:
    """Return the parties of the newest incidents that the reader knows, by name."""
    reader = actor.organization.pk
    mine = IncidentParty.objects.for_organization(actor.organization).filter(left_at=None)
    newest = mine.order_by("-incident_id").values_list("incident_id", flat=True)
    rows = Incident.objects.filter(pk__in=list(newest[:MOST_LOOKED_AT]))
    ids = {
        party["organization"]
        for row in rows.only("parties")
        for party in known_parties(incident=row, organization_id=reader)
    }
    found = Organization.objects.filter(pk__in=ids).order_by("name", "id")
    return tuple(name_of(each) for each in found)
