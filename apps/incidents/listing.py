"""Many incidents as one organization reads them, in a handful of queries."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet

from apps.fleet.models import Attempt, Session
from apps.incidents.access import access_incidents, known_parties
from apps.incidents.models import Incident, IncidentParty, IncidentSession
from apps.incidents.reading import IncidentHeader, PartyView
from apps.sharing import projection
from apps.sharing.projection import PartyRights
from apps.tenancy.access import Actor
from apps.tenancy.models import Organization

SEES_SESSION = {"tenant", "platform", "operator"}


def read_headers(*, actor: Actor, incidents: Sequence[Incident]) -> list[IncidentHeader]:
    """Return the headers of incidents that came through a door, in their order."""
    rows = IncidentParty.objects.for_organization(actor.organization).filter(incident__in=incidents)
    mine = {row.incident_id: row for row in rows}
    known = {
        incident.pk: known_parties(incident=incident, organization_id=actor.organization.pk)
        for incident in incidents
    }
    ids = {party["organization"] for parties in known.values() for party in parties}
    organizations = Organization.objects.in_bulk(ids)
    attempts = _attempts(incidents)
    return [
        _header(
            actor=actor,
            incident=incident,
            mine=mine[incident.pk],
            parties=[(organizations[each["organization"]], each) for each in known[incident.pk]],
            attempts=attempts.get(incident.pk, ()),
        )
        for incident in incidents
        if incident.pk in mine
    ]


def incidents_of_sessions(*, actor: Actor, sessions: Sequence[Session]) -> QuerySet[Incident]:
    """Return the incidents that hit these sessions and that the actor may read, newest first."""
    hit = IncidentSession.objects.filter(session__in=sessions).values("incident_id")
    return access_incidents(actor=actor).filter(Q(id__in=hit) | Q(attempt__session__in=sessions))


def _attempts(incidents: Sequence[Incident]) -> dict[int, tuple[Attempt, ...]]:
    found: dict[int, tuple[Attempt, ...]] = {}
    rows = IncidentSession.objects.filter(incident__in=incidents)
    for row in rows.select_related("attempt__session").order_by("attempt_id"):
        found[row.incident_id] = (*found.get(row.incident_id, ()), row.attempt)
    return found


def _header(
    *,
    actor: Actor,
    incident: Incident,
    mine: IncidentParty,
    parties: Sequence[tuple[Organization, dict[str, Any]]],
    attempts: tuple[Attempt, ...],
) -> IncidentHeader:
    rights = PartyRights(
        sees_culprit=mine.sees_culprit, sees_session=bool(set(mine.parts) & SEES_SESSION)
    )
    owners = {action["owner"] for action in incident.actions[:1]}
    return IncidentHeader(
        incident=incident,
        reader=actor.organization,
        rights=rights,
        attempts=attempts,
        culprits=projection.culprits_for(incident.culprits, rights=rights),
        restart=projection.restart_for(incident.restart, rights=rights),
        coverage=projection.coverage_for(incident.coverage, rights=rights),
        actions=projection.actions_for(incident.actions, rights=rights),
        parties=tuple(
            PartyView(
                organization=organization,
                parts=tuple(party["parts"]),
                is_reader=organization.pk == actor.organization.pk,
                acts=bool(owners & set(party["parts"])),
                acknowledged_at=mine.acknowledged_at
                if organization.pk == actor.organization.pk
                else None,
            )
            for organization, party in parties
        ),
        is_collecting=incident.settled_at is None,
    )
