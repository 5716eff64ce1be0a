"""The header that all parties of an incident share, as one of them reads it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from apps.fleet.models import Attempt
from apps.fleet.values import cluster_name, session_name
from apps.incidents.models import Incident, IncidentParty, IncidentSession
from apps.incidents.projection import rights as projected
from apps.incidents.projection.access import known_parties, own_parties, rights_of_party
from apps.incidents.projection.header_values import (
    HitAttempt,
    IncidentFacts,
    IncidentHeader,
    KnownParty,
    PartyView,
)
from apps.incidents.projection.incident_work import (
    IncidentWork,
    acting_parties,
    asked_parties,
    read_work,
)
from apps.incidents.projection.reader_scope import (
    as_faced,
    header_of,
    is_one_of_several_tenants,
    own_conclusion,
)
from apps.incidents.snapshots import as_it_stood, sessions_then, snapshots_of
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, name_of, value_of


def facts_of(*, incident: Incident, reader_id: int) -> IncidentFacts:
    """Return what all parties read alike of a row that came through a door."""
    known = known_parties(incident=incident, organization_id=reader_id)
    return value_of(
        IncidentFacts,
        incident,
        owner_id=incident.organization_id,
        cluster=cluster_name(incident.cluster),
        moment=vars(incident).get("moment") or incident.started_at or incident.detected_at,
        left_at=incident.snapshot.taken_at if incident.snapshot else None,
        known=tuple(
            KnownParty(
                organization_id=each["organization"],
                parts=tuple(each["parts"]),
                answers=projected.answers_for(each, incident=incident),
            )
            for each in known
        ),
    )


def read_header(*, actor: Actor, incident: Incident) -> IncidentHeader:
    """Return the header as the actor's organization reads it. Needs its scope."""
    (header,) = read_headers(actor=actor, incidents=[incident]) or (None,)
    if header is None:
        raise NotFound
    return header


def read_headers(
    *, actor: Actor, incidents: Sequence[Incident], read_by: Collection[int] = ()
) -> list[IncidentHeader]:
    """Return the headers of incidents that came through a door, in their order.

    `read_by` are organizations that read them together: of the work on them what each may know.
    """
    if not incidents:
        return []
    mine = own_parties(organization=actor.organization, incidents=incidents)
    left = [each for each in incidents if each.pk in mine and mine[each.pk].left_at]
    kept = snapshots_of(organization_id=actor.organization.pk, incidents=left) if left else {}
    incidents = [as_it_stood(incident=each, snapshot=kept.get(each.pk)) for each in incidents]
    known = {
        incident.pk: known_parties(incident=incident, organization_id=actor.organization.pk)
        for incident in incidents
    }
    work = read_work(actor=actor, incidents=incidents, read_by=read_by)
    ids = {party["organization"] for parties in known.values() for party in parties}
    found = Organization.objects.in_bulk(ids | work.organization_ids)
    named = {pk: name_of(each) for pk, each in found.items()}
    sessions = _sessions(incidents)
    return [
        _header(
            actor=actor,
            incident=incident,
            mine=mine[incident.pk],
            parties=known[incident.pk],
            named=named,
            sessions=sessions.get(incident.pk, ()),
            work=work,
        )
        for incident in incidents
        if incident.pk in mine
    ]


def _sessions(incidents: Sequence[Incident]) -> dict[int, tuple[IncidentSession, ...]]:
    found: dict[int, tuple[IncidentSession, ...]] = {}
    rows = IncidentSession.objects.filter(incident__in=incidents)
    for row in rows.select_related("attempt__session").order_by("attempt_id"):
        found[row.incident_id] = (*found.get(row.incident_id, ()), row)
    then = [each.snapshot for each in incidents if each.snapshot is not None]
    return found | {each.incident_id: sessions_then(snapshot=each) for each in then}


def _header(  # noqa: PLR0913  what a header is made of
    *,
    actor: Actor,
    incident: Incident,
    mine: IncidentParty,
    parties: Sequence[Mapping[str, Any]],
    named: Mapping[int, OrganizationName],
    sessions: tuple[IncidentSession, ...],
    work: IncidentWork,
) -> IncidentHeader:
    incident = as_faced(incident=incident, mine=mine, rows=sessions)
    rights = rights_of_party(party=mine)
    own = own_conclusion(rows=sessions, organization_id=actor.organization.pk)
    is_tenant = is_one_of_several_tenants(incident=incident, mine=mine)
    said = header_of(incident=incident, is_tenant=is_tenant, own=own)
    asked = asked_parties(incident=incident, parties=parties)
    coordination = work.coordination(
        incident=incident, parties=parties, named=named, reader_id=actor.organization.pk
    )
    acting = acting_parties(coordination=coordination, asked=asked)
    return IncidentHeader(
        incident=facts_of(incident=incident, reader_id=actor.organization.pk),
        reader=name_of(actor.organization),
        rights=rights,
        attempts=tuple(_hit(row.attempt) for row in sessions),
        culprits=projected.culprits_for(said["culprits"], rights=rights),
        restart=projected.restart_for(said["restart"], rights=rights, cause=incident.cause),
        coverage=projected.coverage_for(said["coverage"], rights=rights),
        actions=projected.actions_for(said["actions"], rights=rights),
        first_stopper=said["first_stopper"] if rights.sees_session else None,
        parties=tuple(
            _party(named[party["organization"]], party, incident=incident, acting=acting, mine=mine)
            for party in parties
        ),
        is_collecting=incident.settled_at is None and incident.snapshot is None,
        coordination=coordination,
    )


def _hit(attempt: Attempt) -> HitAttempt:
    return value_of(
        HitAttempt,
        attempt,
        session=session_name(attempt.session),
        are_hosts_claimed=bool(attempt.hosts) and not attempt.hosts_asserted,
    )


def _party(
    organization: OrganizationName,
    party: Mapping[str, Any],
    *,
    incident: Incident,
    acting: Collection[int],
    mine: IncidentParty,
) -> PartyView:
    is_reader = organization.id == mine.organization_id
    has_left = is_reader and mine.left_at is not None
    return PartyView(
        organization=organization,
        parts=tuple(party["parts"]),
        is_reader=is_reader,
        # Nothing waits for a reader who can't act any more.
        acts=organization.id in acting and not has_left,
        answers=projected.answers_for(party, incident=incident),
        acknowledged_at=mine.acknowledged_at if is_reader else None,
    )
