"""Annotations that mention an organization or people of it, for who tells them. Needs its scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from apps.incidents.models import Annotation
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, name_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """That somebody mentions an organization, or people of it. None of the words."""

    annotation: str
    version: int
    incident: str
    cluster_id: int | None
    is_simulated: bool
    author: OrganizationName
    author_name: str
    author_id: int | None  # a person; None: a token, or somebody who is gone
    is_party: bool  # the organization itself is mentioned
    people: tuple[int, ...]  # of the organization


def mentions_since(*, organization: Organization, since: datetime) -> Sequence[Mention]:
    """Return what mentions the organization or its people in annotations as they stand now."""
    newer = Annotation.objects.filter(
        organization=OuterRef("organization"),
        public_id=OuterRef("public_id"),
        version__gt=OuterRef("version"),
    )
    thread = Annotation.objects.filter(incident=OuterRef("incident"), public_id=OuterRef("answers"))
    party = Q(mentioned_parties__contains=[organization.pk])
    people = Q(organization=organization) & ~Q(mentioned_people=[])
    rows = Annotation.objects.filter(
        party | people,
        Q(answers="") | Exists(thread),
        ~Exists(newer),
        created_at__gte=since,
        is_withdrawn=False,
    )
    found = rows.select_related("incident", "organization").order_by("id")
    return [_mention(row, organization) for row in found]


def _mention(row: Annotation, organization: Organization) -> Mention:
    is_own = row.organization_id == organization.pk
    return Mention(
        annotation=row.public_id,
        version=row.version,
        incident=row.incident.public_id,
        cluster_id=row.incident.cluster_id,
        is_simulated=row.incident.is_simulated,
        author=name_of(row.organization),
        author_name=row.author_name,
        author_id=row.author_id,
        is_party=organization.pk in row.mentioned_parties,
        people=tuple(row.mentioned_people) if is_own else (),
    )
