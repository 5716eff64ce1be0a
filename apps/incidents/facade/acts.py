"""What people do with incidents, and the record of it. All of it needs the actor's scope."""

from collections.abc import Collection
from datetime import datetime

from django.http import HttpRequest

from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.incidents import annotations
from apps.incidents.entries import OWN, Audience, Note, Opinion, StepEntry
from apps.incidents.facade.incident_row import row_of
from apps.incidents.judgement import feedback
from apps.incidents.lifecycle import acknowledge as acknowledging
from apps.incidents.lifecycle import resolution
from apps.incidents.models import Annotation
from apps.incidents.projection.annotations import version_of
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.values import AnnotationVersion, PartyOpinion
from apps.incidents.threads import unread
from apps.tenancy.access import Actor
from apps.tenancy.audit.audit_log import remote_address_of


def acknowledge(*, actor: Actor, incident: IncidentFacts, now: datetime) -> None:
    """Note that the actor's organization has seen it; raise AlreadyHandled if it had."""
    acknowledging.acknowledge(actor=actor, incident=row_of(incident), now=now)


def resolve(*, actor: Actor, incident: IncidentFacts, entry: StepEntry, now: datetime) -> None:
    """Close it; raise AlreadyHandled unless it is open, BadStep without a reason."""
    resolution.resolve(actor=actor, incident=row_of(incident), entry=entry, now=now)


def reopen(*, actor: Actor, incident: IncidentFacts, entry: StepEntry, now: datetime) -> None:
    """Open it again; raise AlreadyHandled unless it is resolved, BadStep without a reason."""
    resolution.reopen(actor=actor, incident=row_of(incident), entry=entry, now=now)


def annotate(
    *, actor: Actor, incident: IncidentFacts, note: Note, audience: Audience = OWN, now: datetime
) -> AnnotationVersion:
    """Write an annotation. Its own organization alone reads it unless told."""
    row = annotations.annotate(
        actor=actor, incident=row_of(incident), note=note, audience=audience, now=now
    )
    return version_of(row)


def own_annotation(*, actor: Actor, incident: IncidentFacts, public_id: str) -> AnnotationVersion:
    """Return the newest version of an annotation of the actor's own organization, to change it."""
    row = annotations.access_annotation(actor=actor, incident=row_of(incident), public_id=public_id)
    return version_of(row)


def revise(  # noqa: PLR0913  the next version, and of what
    *,
    actor: Actor,
    incident: IncidentFacts,
    former: AnnotationVersion,
    note: Note,
    audience: Audience = OWN,
    seen_version: int | None = None,
    now: datetime,
) -> AnnotationVersion:
    """Write the next version of one's own organization's annotation; the former one stays.

    Raises AlreadyChanged where `seen_version`, that the author had before it, is not the newest.
    """
    row = annotations.revise(
        actor=actor,
        former=_annotation(incident, former),
        note=note,
        audience=audience,
        seen_version=seen_version,
        now=now,
    )
    return version_of(row)


def withdraw(
    *, actor: Actor, incident: IncidentFacts, former: AnnotationVersion, now: datetime
) -> None:
    """Take an annotation back; the history stays its author's, others read that it was there."""
    annotations.withdraw(actor=actor, former=_annotation(incident, former), now=now)


def mark_read(*, actor: Actor, incident: IncidentFacts, now: datetime) -> int:
    """Note that the actor has seen the annotations; return how many of them were new."""
    return unread.mark_read(actor=actor, incident=row_of(incident), now=now)


def judge(
    *,
    actor: Actor,
    incident: IncidentFacts,
    opinion: Opinion,
    note: str = "",
    audience: Audience = OWN,
    now: datetime,
) -> PartyOpinion:
    """Keep what the actor's organization says of the verdict, in place of what it said before."""
    judged = row_of(incident)
    row = feedback.judge(
        actor=actor, incident=judged, opinion=opinion, note=note, audience=audience, now=now
    )
    return feedback.opinion_value(row, incident=judged)


def take_back(*, actor: Actor, incident: IncidentFacts, now: datetime) -> None:
    """Let the actor's organization have said nothing; raise NotFound where it hasn't."""
    feedback.take_back(actor=actor, incident=row_of(incident), now=now)


def note_act(  # noqa: PLR0913  an act in all its circumstances
    *,
    actor: Actor,
    incident: IncidentFacts,
    action: str,
    detail: str = "",
    others: Collection[int] = (),
    request: HttpRequest,
    now: datetime,
) -> None:
    """Append an act that all parties may read to both records, and to those of `others` whom it
    is about. Needs the actor's scope.
    """
    told = {incident.owner_id, *others}
    _note(actor, incident, action, detail, request, now, others=told)


def note_annotation(  # noqa: PLR0913  an act in all its circumstances
    *,
    actor: Actor,
    incident: IncidentFacts,
    annotation: AnnotationVersion,
    action: str,
    former: AnnotationVersion | None = None,
    request: HttpRequest,
    now: datetime,
) -> None:
    """Append an act on a note; to the record of the incident's owner if it is among its readers."""
    readers = {*annotation.audience, *(former.audience if former else ())}
    others = readers & {incident.owner_id}
    _note(actor, incident, action, annotation.public_id, request, now, others=others)


def _note(  # noqa: PLR0913  an act in all its circumstances
    actor: Actor,
    incident: IncidentFacts,
    action: str,
    detail: str,
    request: HttpRequest,
    now: datetime,
    *,
    others: Collection[int],
) -> None:
    subject = f"{incident.public_id} {detail}".strip()
    told = ActContext(actor=actor, now=now, remote_address=remote_address_of(request=request))
    record_cross_party_act(action, subject, told, others=others)


def _annotation(incident: IncidentFacts, version: AnnotationVersion) -> Annotation:
    return Annotation(
        organization_id=version.organization.id,
        incident=row_of(incident),
        public_id=version.public_id,
        version=version.version,
        lane=version.lane,
        starts_at=version.starts_at,
        ends_at=version.ends_at,
        answers=version.answers,
        audience=list(version.audience),
    )
