"""What a person has not seen yet of what others wrote. Needs the scope of one organization."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from apps.incidents.entries import STEP_LANE
from apps.incidents.models import Annotation, AnnotationRead, Incident
from apps.incidents.snapshots import until_left
from apps.tenancy.access import Actor
from apps.tenancy.models import User


def unread_of(*, actor: Actor, incident: Incident) -> frozenset[int]:
    """Return the row ids of the versions on an incident that the actor has not seen."""
    if actor.user is None:
        return frozenset()
    rows = until_left(rows=_unread(actor, actor.user), incident=incident)
    return frozenset(rows.filter(incident=incident).values_list("pk", flat=True))


def unread_counts(*, actor: Actor, incident_ids: Collection[int]) -> Mapping[int, int]:
    """Return incident id → how many annotations the actor has not seen; without those with none."""
    if actor.user is None or not incident_ids:
        return {}
    rows = _unread(actor, actor.user).filter(incident__in=incident_ids).order_by()
    return dict(rows.values_list("incident_id").annotate(count=Count("pk")))


def mark_read(*, actor: Actor, incident: Incident, now: datetime) -> int:
    """Note that the actor has seen what stands on an incident; return how much of it was new."""
    user, found = actor.user, unread_of(actor=actor, incident=incident)
    if user is None or not found:
        return 0
    rows = [
        AnnotationRead(organization=actor.organization, user=user, annotation_id=pk, read_at=now)
        for pk in sorted(found)
    ]
    AnnotationRead.objects.bulk_create(rows, ignore_conflicts=True)
    return len(found)


def _unread(actor: Actor, user: User) -> QuerySet[Annotation]:
    """Return the newest versions that others wrote since this person is here, and it has not seen.

    Words that go with a step of work are read with it: the step itself is what is new.
    Row-level security leaves what the organization reads, also where it is asked for newer
    versions and for what a reply answers.
    """
    same = Annotation.objects.filter(
        organization=OuterRef("organization"), public_id=OuterRef("public_id")
    )
    answered = Annotation.objects.filter(
        incident=OuterRef("incident"), public_id=OuterRef("answers")
    )
    seen = AnnotationRead.objects.for_organization(actor.organization).filter(
        user=user, annotation=OuterRef("pk")
    )
    return Annotation.objects.filter(
        Q(answers="") | Exists(answered),
        ~Exists(same.filter(version__gt=OuterRef("version"))),
        ~Exists(seen),
        is_withdrawn=False,
        created_at__gte=user.date_joined,
    ).exclude(Q(author=user) | Q(lane=STEP_LANE))
