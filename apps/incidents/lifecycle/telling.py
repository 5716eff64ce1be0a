"""How what people do with an incident is told on its timeline."""

from collections.abc import Collection
from datetime import datetime

from apps.diagnosis.model import Statement, statement
from apps.incidents.human_activity import mark_touched
from apps.incidents.models import Incident
from apps.incidents.projection.access import present_parties
from apps.incidents.timeline import TimelineDraft, append
from apps.tenancy.access import Actor


def who_acts(*, organization: str, person: str) -> Statement:
    """Return who does something: an organization, and the person where one is known by name."""
    if not person:
        return statement("organization", name=organization)
    return statement("person", organization=organization, name=person)


def actor_fact(actor: Actor) -> Statement:
    """Return who the actor is, as all parties read it."""
    person = (actor.user.get_full_name() or actor.user.username) if actor.user else ""
    return who_acts(organization=actor.organization.name, person=person)


def person_of(actor: Actor) -> str:
    """Return the name of the person, or of the token, for rows that say who wrote them."""
    if actor.user is not None:
        return actor.user.get_full_name() or actor.user.get_username()
    return actor.token.name if actor.token else ""


def tell(
    *,
    actor: Actor,
    incident: Incident,
    kind: str,
    told: Statement,
    audience: Collection[int] | None = None,
    now: datetime,
) -> None:
    """Write a moment on the timeline, for the parties that the actor may know unless told."""
    if audience is None:
        audience = present_parties(incident=incident, organization_id=actor.organization.pk)
    append(
        incident=incident,
        now=now,
        tellings=[
            TimelineDraft(
                organization_id=actor.organization.pk,
                identity=(told.kind, now.isoformat()),
                lane="people",
                kind=kind,
                statement=told,
                at=now,
                audience=tuple(audience),
            )
        ],
    )
    mark_touched(actor=actor, incident=incident)
