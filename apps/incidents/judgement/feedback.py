"""What the parties say of a verdict: right, or wrong and what it really was. Versioned."""

from datetime import datetime

from django.db.models import QuerySet

from apps.diagnosis.model import Layer, Statement, statement
from apps.diagnosis.spelling import meant
from apps.incidents.annotations import annotate, revise
from apps.incidents.coordination.rows import opinions_by_incident
from apps.incidents.entries import LANE, OWN, Audience, Note, Opinion
from apps.incidents.human_activity import mark_touched
from apps.incidents.judgement.knowledge_version import edition
from apps.incidents.lifecycle.telling import person_of, who_acts
from apps.incidents.models import Annotation, Feedback, Incident
from apps.incidents.projection.access import present_parties, require_part
from apps.incidents.projection.annotations import annotations_of
from apps.incidents.projection.values import PartyOpinion
from apps.incidents.refusals import AlreadyHandled, BadOpinion, VerdictMoved
from apps.incidents.states import Judgement
from apps.incidents.timeline import TimelineDraft, append
from apps.incidents.words.opinions import causes_by_layer, opinion_fact
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.models import Organization
from apps.tenancy.values import name_of, value_of


def judge(
    *,
    actor: Actor,
    incident: Incident,
    opinion: Opinion,
    note: str = "",
    audience: Audience = OWN,
    now: datetime,
) -> Feedback:
    """Keep what the actor's organization says of the verdict, in place of what it said before.

    The same again changes nothing. Raises BadOpinion, VerdictMoved, AlreadyHandled, and what
    annotations raise for the words.
    """
    require_part(actor=actor, incident=incident)
    if opinion.revision not in {None, incident.revision}:
        raise VerdictMoved
    _check(opinion, incident)
    row = opinion_of(actor=actor, incident=incident)
    if row is None or _differs(row, opinion, incident):
        row = _written(actor=actor, incident=incident, opinion=opinion, now=now)
    if note.strip():
        _note(actor=actor, incident=incident, text=note, audience=audience, now=now)
    return row


def take_back(*, actor: Actor, incident: Incident, now: datetime) -> None:
    """Let the actor's organization have said nothing; raise NotFound where it hasn't."""
    require_part(actor=actor, incident=incident)
    if opinion_of(actor=actor, incident=incident) is None:
        raise NotFound
    _written(
        actor=actor, incident=incident, opinion=Opinion(judgement=Judgement.TAKEN_BACK), now=now
    )


def opinion_of(*, actor: Actor, incident: Incident) -> Feedback | None:
    """Return what the actor's own organization says now."""
    row = _own(actor.organization, incident).order_by("-version").first()
    return None if row is None or row.judgement == Judgement.TAKEN_BACK else row


def opinions_of(*, actor: Actor, incident: Incident) -> list[Feedback]:
    """Return what each party says now, as far as the actor may know, the first to judge first."""
    told = opinions_by_incident(organization=actor.organization, incidents=[incident])
    return told.get(incident.pk, [])


def opinion_value(row: Feedback, *, incident: Incident) -> PartyOpinion:
    """Return what a party says, as whom the incident faces gets it."""
    return value_of(
        PartyOpinion,
        row,
        organization=name_of(row.organization),
        revision=incident.faced_revision(row.revision),
    )


def note_of(*, actor: Actor, incident: Incident) -> Annotation | None:
    """Return the words that go with the own judgement."""
    own = [
        row
        for row in annotations_of(incident=incident)
        if row.lane == LANE
        and row.organization_id == actor.organization.pk
        and not (row.is_withdrawn or row.answers)
    ]
    return own[-1] if own else None


def _check(opinion: Opinion, incident: Incident) -> None:
    is_wrong = opinion.judgement == Judgement.WRONG
    if not is_wrong and (opinion.layer or opinion.cause):
        raise BadOpinion("layer", "only a wrong verdict was really something else")
    if opinion.layer and opinion.layer not in causes_by_layer():
        hint = meant(word=opinion.layer, known=causes_by_layer())
        raise BadOpinion("layer", f"one of {', '.join(causes_by_layer())}, or empty{hint}")
    known = causes_by_layer().get(opinion.layer, ())
    if opinion.cause and opinion.cause not in known:
        hint = meant(word=opinion.cause, known=known)
        raise BadOpinion("cause", f"a cause of the layer that is named, or empty{hint}")
    if opinion.layer == Layer.UNKNOWN and not opinion.cause:
        raise BadOpinion("layer", "leave it empty where nobody knows")
    if is_wrong and (opinion.layer, opinion.cause) == (incident.layer, incident.cause):
        raise BadOpinion("cause", "this is what the verdict says: judge it right, or name another")


def _differs(former: Feedback, opinion: Opinion, incident: Incident) -> bool:
    said = (former.judgement, former.actual_layer, former.actual_cause)
    return said != (opinion.judgement, opinion.layer, opinion.cause) or (
        former.revision != incident.counted_revision
    )


def _written(*, actor: Actor, incident: Incident, opinion: Opinion, now: datetime) -> Feedback:
    before = _own(actor.organization, incident).order_by("-version").first()
    present = present_parties(incident=incident, organization_id=actor.organization.pk)
    row = Feedback(
        organization=actor.organization,
        incident=incident,
        version=before.version + 1 if before else 1,
        judgement=opinion.judgement,
        actual_layer=opinion.layer,
        actual_cause=opinion.cause,
        author_name=person_of(actor),
        revision=incident.counted_revision,
        verdict_status=incident.verdict_status,
        layer=incident.layer,
        cause=incident.cause,
        probability=incident.probability,
        cause_probability=incident.cause_probability,
        edition=edition(),
        audience=sorted(present),
        created_at=now,
    )
    Feedback.objects.bulk_create([row], ignore_conflicts=True)
    stored = _own(actor.organization, incident).filter(version=row.version, created_at=now).first()
    if stored is None or stored.judgement != row.judgement:
        raise AlreadyHandled  # a colleague judged at the same time
    _tell(actor=actor, row=stored, now=now)
    mark_touched(actor=actor, incident=incident)
    return stored


def _tell(*, actor: Actor, row: Feedback, now: datetime) -> None:
    """Let the parties read on the timeline what stands; what stood before it holds no longer."""
    told = judgement_fact(row=row, organization=actor.organization.name)
    telling = TimelineDraft(
        organization_id=row.organization_id,
        identity=("feedback",),
        lane="people",
        kind="feedback",
        statement=told,
        at=now,
        detail={"version": row.version},
        audience=tuple(row.audience),
        is_retracted=row.judgement == Judgement.TAKEN_BACK,
    )
    append(incident=row.incident, tellings=[telling], now=now)


def judgement_fact(*, row: Feedback, organization: str) -> Statement:
    """Return that a party judged an answer, or took its judgement back."""
    who, number = who_acts(organization=organization, person=row.author_name), row.revision
    if row.judgement == Judgement.TAKEN_BACK:
        return statement("judgement-taken-back", who=who, number=number)
    opinion = opinion_fact(judgement=row.judgement, layer=row.actual_layer, cause=row.actual_cause)
    return statement("judged", who=who, number=number, opinion=opinion)


def _note(
    *, actor: Actor, incident: Incident, text: str, audience: Audience, now: datetime
) -> None:
    former = note_of(actor=actor, incident=incident)
    note = Note(text=text, lane=LANE)
    if former is None:
        annotate(actor=actor, incident=incident, note=note, audience=audience, now=now)
    else:
        revise(actor=actor, former=former, note=note, audience=audience, now=now)


def _own(organization: Organization, incident: Incident) -> QuerySet[Feedback]:
    return Feedback.objects.for_organization(organization).filter(incident=incident)
