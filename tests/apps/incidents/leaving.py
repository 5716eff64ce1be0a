"""Leaving a cluster and coming back, and what happens on it meanwhile."""

from dataclasses import replace
from datetime import datetime, timedelta

from apps.fleet.models import Attempt, Participation, ParticipationRole
from apps.fleet.parties.leave_cluster import give_up
from apps.fleet.parties.presence_subscribers import tell_back
from apps.incidents.annotations import annotate, revise
from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import rewrite
from apps.incidents.entries import Audience, Note, Opinion, StepEntry
from apps.incidents.judgement.feedback import judge
from apps.incidents.lifecycle.acknowledge import acknowledge
from apps.incidents.lifecycle.resolution import resolve
from apps.incidents.models import Annotation, Incident
from apps.incidents.states import Judgement
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, conclusion, piece, telling

LEFT_AT = make.AT + timedelta(minutes=10)
LATER = make.AT + timedelta(minutes=20)
BACK_AT = make.AT + timedelta(minutes=30)
AFTER = make.AT + timedelta(minutes=40)
ALL = Audience(all_parties=True)


def leave(
    organization: Organization, cast: Cast, part: ParticipationRole, at: datetime = LEFT_AT
) -> None:
    """Give up a part; nobody asks whether another operator is left."""
    with organization_scope(organization.pk):
        give_up(organization=organization, cluster=cast.cluster, part=part, now=at)


def come_back(
    organization: Organization,
    cast: Cast,
    part: ParticipationRole,
    at: datetime = BACK_AT,
    *,
    since: datetime | None = BACK_AT,
) -> None:
    """Take a part again, as an accepted offer does; without `since` as set-up does."""
    with organization_scope(organization.pk):
        Participation.objects.create(
            organization=organization, cluster=cast.cluster, part=part, since=since
        )
        tell_back(organization_id=organization.pk, cluster_id=cast.cluster.pk, now=at)


def write_to_all(
    organization: Organization, incident: Incident, text: str, at: datetime
) -> Annotation:
    """Write a note to all parties."""
    with organization_scope(organization.pk):
        return annotate(
            actor=actor(organization), incident=incident, note=Note(text=text), audience=ALL, now=at
        )


def change(note: Annotation, text: str, at: datetime, audience: Audience = ALL) -> None:
    """Write the next version of a note."""
    with organization_scope(note.organization_id):
        writer = actor(note.organization)
        revise(actor=writer, former=note, note=Note(text=text), audience=audience, now=at)


def find_otherwise(cast: Cast, attempt: Attempt, incident: Incident, at: datetime) -> None:
    """Let a look at the attempt find another cause, more evidence and more moments.

    In the scope that correlation has: the parties of now, and the owner.
    """
    present = {*parties_of(cluster_id=cast.cluster.pk), attempt.organization_id}
    with organization_scope(*present):
        culprits = [{"kind": "switch", "host": "NEW-HOST", "name": None}]
        told = conclusion(cast, layer="network", cause="link-down", culprits=culprits)
        hypothesis = told.hypotheses[0] | {"layer": "network", "cause": "NEW-CAUSE"}
        holders = [each for each in (cast.operator, cast.tenant) if each.pk in present]
        told = replace(
            told,
            hypotheses=[hypothesis],
            pieces=tuple(piece(each, f"NEW-WORDS-{each.slug}", 2.0) for each in holders),
            tellings=tuple(telling(each, f"NEW-MOMENT-{each.slug}") for each in holders),
        )
        found = Incident.objects.get(pk=incident.pk)
        attach(incident=found, attempt=attempt, conclusion=told)
        rewrite(incident=found, attempt=attempt, conclusion=told, newest_evidence_at=at, now=at)


def act_on(organization: Organization, incident: Incident, at: datetime) -> None:
    """Take note, judge and resolve as somebody who stays."""
    with organization_scope(organization.pk):
        person = actor(organization)
        found = Incident.objects.get(pk=incident.pk)
        acknowledge(actor=person, incident=found, now=at)
        judge(actor=person, incident=found, opinion=Opinion(judgement=Judgement.RIGHT), now=at)
        # Who resolves owns the incident, or answers for the layer that is blamed.
        own = Participation.objects.for_organization(organization)
        own.update(layers=["gpu", "network", "host"])
        resolve(actor=person, incident=found, entry=StepEntry(reason="fixed"), now=at)
