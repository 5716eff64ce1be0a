"""Doors to incidents: anything named by an id from outside goes through here."""

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from apps.incidents.models import Incident, IncidentParty, IncidentSession, IncidentStatus
from apps.sharing.projection import SEES_SESSIONS, PartyRights
from apps.tenancy.access import Actor, NotFound, Right

# Of several rows of one public id the one that stands comes first.
PREFERENCE = (
    IncidentStatus.OPEN, IncidentStatus.RESOLVED, IncidentStatus.WITHDRAWN, IncidentStatus.MERGED,
)  # fmt: skip


def access_incidents(
    *,
    actor: Actor,
    status: str | None = None,
    layer: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[Incident]:
    """Return the incidents the actor's organization is a party of, newest first.

    Needs a scope of that organization; merged ones are left out.
    """
    actor.require(Right.READ)
    mine = IncidentParty.objects.for_organization(actor.organization).values("incident_id")
    unfounded = Q(status=IncidentStatus.WITHDRAWN, touched_by_people=False)
    found = Incident.objects.filter(id__in=mine).exclude(
        Q(status=IncidentStatus.MERGED) | unfounded
    )
    wanted = Q()
    if status:
        wanted &= Q(status=status)
    if layer:
        wanted &= Q(layer=layer)
    if since:
        wanted &= Q(moment__gte=since)
    if until:
        wanted &= Q(moment__lt=until)
    ordered = found.annotate(moment=Coalesce("started_at", "detected_at")).filter(wanted)
    return ordered.select_related("cluster", "organization").order_by("-moment", "-id")


def access_incident(*, actor: Actor, public_id: str, right: Right = Right.READ) -> Incident:
    """Return one incident of which the actor's organization is a party; a merged id leads on.

    Needs a scope of that organization. Raises NotFound.
    """
    actor.require(right)
    mine = IncidentParty.objects.for_organization(actor.organization).values("incident_id")
    rows = Incident.objects.filter(id__in=mine, public_id=public_id)
    # A shared part's incident took over the id of the stop it absorbed: the living one counts.
    found = sorted(
        rows.select_related("cluster", "organization", "merged_into"),
        key=lambda row: PREFERENCE.index(row.status),
    )
    if not found:
        raise NotFound
    incident = found[0]
    if incident.status == IncidentStatus.MERGED and incident.merged_into is not None:
        return access_incident(actor=actor, public_id=incident.merged_into.public_id, right=right)
    return incident


def party_of(*, actor: Actor, incident: Incident) -> IncidentParty:
    """Return the actor's organization as a party of the incident."""
    party = (
        IncidentParty.objects.for_organization(actor.organization).filter(incident=incident).first()
    )
    if party is None:
        raise NotFound
    return party


def rights_of_party(*, party: IncidentParty) -> PartyRights:
    """Return what a party reads of an incident's header."""
    return PartyRights(
        sees_culprit=party.sees_culprit, sees_session=bool(set(party.parts) & SEES_SESSIONS)
    )


def sessions_of(*, incident: Incident) -> QuerySet[IncidentSession]:
    """Return the attempts the incident hit that the scope may see."""
    return (
        IncidentSession.objects.filter(incident=incident)
        .select_related("attempt__session")
        .order_by("attempt_id")
    )


def known_parties(*, incident: Incident, organization_id: int) -> list[dict[str, Any]]:
    """Return the parties of an incident that one of them may know of.

    One tenant does not learn from a shared part's incident that another tenant runs there.
    """
    own = [party for party in incident.parties if party["organization"] == organization_id]
    is_tenant_only = bool(own) and own[0]["parts"] == ["tenant"]
    return [
        party
        for party in incident.parties
        if party in own or not (is_tenant_only and party["parts"] == ["tenant"])
    ]
