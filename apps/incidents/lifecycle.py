"""What people do with an incident: take note, resolve, reopen. Each writes its timeline entry."""

from datetime import datetime

from apps.diagnosis.model import Statement, statement
from apps.fleet.models import Participation, ParticipationRole
from apps.incidents.human_activity import mark_touched
from apps.incidents.models import Incident, IncidentParty
from apps.incidents.projection.access import may_act, present_parties, require_part
from apps.incidents.refusals import AlreadyHandled
from apps.incidents.states import IncidentStatus
from apps.incidents.timeline import TimelineDraft, append
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.scope import organization_scope


def acknowledge(*, actor: Actor, incident: Incident, now: datetime) -> None:
    """Note that the actor's organization has seen the incident. Each party does so for itself."""
    require_part(actor=actor, incident=incident)
    claimed = (
        IncidentParty.objects.for_organization(actor.organization)
        .filter(incident=incident, acknowledged_at=None)
        .update(acknowledged_at=now, acknowledged_by=actor.user)
    )
    if not claimed:
        raise AlreadyHandled
    _tell(actor=actor, incident=incident, told=statement("acknowledged", who=_who(actor)), now=now)


def resolve(*, actor: Actor, incident: Incident, now: datetime) -> None:
    """Close the incident. Only its owner or an operator may."""
    require_part(actor=actor, incident=incident)
    if not _may_resolve(actor=actor, incident=incident):
        raise NotFound(owner_id=incident.organization_id)
    _move(incident, IncidentStatus.OPEN, IncidentStatus.RESOLVED, actor=actor, at=now)
    _tell(actor=actor, incident=incident, told=statement("resolved", who=_who(actor)), now=now)


def reopen(*, actor: Actor, incident: Incident, now: datetime) -> None:
    """Open a resolved incident again. Any party may."""
    require_part(actor=actor, incident=incident)
    _move(incident, IncidentStatus.RESOLVED, IncidentStatus.OPEN, actor=actor, at=None)
    _tell(actor=actor, incident=incident, told=statement("reopened", who=_who(actor)), now=now)


def may_resolve(*, actor: Actor, incident: Incident) -> bool:
    """Say whether the actor could resolve this incident."""
    return may_act(actor=actor, incident=incident) and _may_resolve(actor=actor, incident=incident)


def _may_resolve(*, actor: Actor, incident: Incident) -> bool:
    if incident.organization_id == actor.organization.pk:
        return True
    party = (
        IncidentParty.objects.for_organization(actor.organization).filter(incident=incident).first()
    )
    # Who stays in the cluster without running it closes nothing any more.
    own = Participation.objects.for_organization(actor.organization)
    runs = own.filter(cluster=incident.cluster_id, part=ParticipationRole.OPERATOR)
    return party is not None and ParticipationRole.OPERATOR in party.parts and runs.exists()


def _move(
    incident: Incident,
    former: IncidentStatus,
    status: IncidentStatus,
    *,
    actor: Actor,
    at: datetime | None,
) -> None:
    # The header is its owner's row: writing it takes a scope that holds the owner, too.
    with organization_scope(incident.organization_id, actor.organization.pk):
        moved = Incident.objects.filter(pk=incident.pk, status=former).update(
            status=status, resolved_at=at, touched_by_people=True
        )
    if not moved:
        raise AlreadyHandled


def who_acts(*, organization: str, person: str) -> Statement:
    """Return who does something: an organization, and the person where one is known by name."""
    if not person:
        return statement("organization", name=organization)
    return statement("person", organization=organization, name=person)


def _who(actor: Actor) -> Statement:
    person = (actor.user.get_full_name() or actor.user.username) if actor.user else ""
    return who_acts(organization=actor.organization.name, person=person)


def _tell(*, actor: Actor, incident: Incident, told: Statement, now: datetime) -> None:
    append(
        incident=incident,
        now=now,
        tellings=[
            TimelineDraft(
                organization_id=actor.organization.pk,
                identity=(told.kind, now.isoformat()),
                lane="people",
                kind=told.kind,
                statement=told,
                at=now,
                audience=tuple(
                    present_parties(incident=incident, organization_id=actor.organization.pk)
                ),
            )
        ],
    )
    mark_touched(actor=actor, incident=incident)
