"""Incidents and annotations that hold a text, of what their reader reads of them.

A column is asked only where the reader sees what it says, so that neither the answer nor the time
it takes tells of the rest; and what was found counts only where the projected header says it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Cast

from apps.fleet.access import access_sessions
from apps.fleet.models import Attempt
from apps.incidents.models import (
    Annotation,
    EvidenceItem,
    IncidentParty,
    IncidentSession,
)
from apps.incidents.projection.access import access_incidents
from apps.incidents.projection.annotations import version_of
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.headers import read_headers
from apps.incidents.projection.reader_scope import one_of_several_tenants
from apps.incidents.projection.rights import SEES_SESSIONS
from apps.incidents.projection.values import AnnotationVersion
from apps.tenancy.access import Actor

# Of what differs from its row for this reader the newest are always read, whatever was asked.
ALWAYS_READ: Final = 20
MOST_SESSIONS: Final = 200
NAMING: Final = ("host", "uuid", "pci", "name")


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentWish:
    """What is looked for: a text, causes and layers that it names, an Xid."""

    text: str = ""
    causes: Collection[str] = ()
    layers: Collection[str] = ()
    xid: int | None = None
    host: str = ""  # of a culprit alone
    session: str = ""  # a name alone


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAnnotation:
    """An annotation and the incident that it stands in, by the id that the reader knows."""

    incident: str
    annotation: AnnotationVersion


def search_incidents(*, actor: Actor, wish: IncidentWish, limit: int) -> list[IncidentHeader]:
    """Return headers of which something is asked for, newest first; some may not hold it.

    Needs the scope of the actor's organization.
    """
    rows: QuerySet[Any] = access_incidents(actor=actor)
    if wish.xid is not None:
        return read_headers(actor=actor, incidents=list(_with_xid(actor, rows, wish.xid)[:limit]))
    parties = IncidentParty.objects.for_organization(actor.organization)
    several = parties.filter(one_of_several_tenants()).values("incident_id")
    # As an outer join: excluding what is kept would look through all incidents once more.
    plain = _with_culprits(rows.filter(kept=None), parties).exclude(pk__in=several)
    plain = plain.filter(_asked(actor, wish, parties))
    special = rows.filter(Q(kept__isnull=False) | Q(pk__in=several))
    named = special.filter(shown_id__iexact=wish.text) if wish.text else special.none()
    # Ids first: sorting whole rows of everything that matches takes far longer.
    ids = {
        pk
        for each, most in ((plain, limit), (special, ALWAYS_READ), (named, 1))
        for pk in each.select_related(None).values_list("pk", flat=True)[:most]
    }
    return read_headers(actor=actor, incidents=list(rows.filter(pk__in=ids)))


def _asked(actor: Actor, wish: IncidentWish, parties: QuerySet[IncidentParty]) -> Q:
    asked = Q(cause__in=wish.causes) | Q(layer__in=wish.layers)
    if wish.text:
        asked |= Q(shown_id__istartswith=wish.text)
        asked |= _blames(wish.text, NAMING) | _hit(actor, wish.text, parties)
    if wish.host:
        asked |= _blames(wish.host, ("host",))
    if wish.session:
        asked |= _hit(actor, wish.session, parties)
    return asked


def _with_xid(actor: Actor, rows: QuerySet[Any], xid: int) -> QuerySet[Any]:
    """Return those for which evidence that the actor's organization holds itself tells an Xid."""
    own = EvidenceItem.objects.for_organization(actor.organization)
    return rows.filter(kept=None, pk__in=own.filter(fact__code__xid=xid).values("incident_id"))


def _blames(text: str, keys: Collection[str]) -> Q:
    """Return the condition that a culprit's name begins so, for who sees culprits."""
    begins = f': "{text.lower()}'  # as they are stored
    names = Q()
    for key in keys:
        names |= Q(said_culprits__contains=f'"{key}"{begins}')
    return Q(said_culprits__contains=begins) & names  # of most rows one look is enough


def _with_culprits(rows: QuerySet[Any], parties: QuerySet[IncidentParty]) -> QuerySet[Any]:
    """Return rows with the text of whom they blame, empty where the reader doesn't see that."""
    seen = Q(pk__in=parties.filter(sees_culprit=True).values("incident_id"))
    nothing = Value("", output_field=TextField())
    said = Case(When(seen, then=Cast("culprits", TextField())), default=nothing)
    found: QuerySet[Any] = rows.annotate(said_culprits=said)
    return found


def _hit(actor: Actor, text: str, parties: QuerySet[IncidentParty]) -> Q:
    """Return the condition that it hit a session of such a name, for who sees sessions."""
    seen = parties.filter(parts__overlap=sorted(SEES_SESSIONS)).values("incident_id")
    named = access_sessions(actor=actor).filter(Q(name__icontains=text) | Q(job__icontains=text))
    ids = list(named.values_list("pk", flat=True)[:MOST_SESSIONS])
    hit = IncidentSession.objects.filter(session__in=ids).values("incident_id")
    # Not by the attempt of each incident: whether the reader sees it is asked for few, so.
    attempts = Attempt.objects.filter(session__in=ids).values("pk")
    return Q(pk__in=seen) & (Q(pk__in=hit) | Q(attempt__in=attempts))


def search_annotations(*, actor: Actor, text: str, limit: int) -> list[FoundAnnotation]:
    """Return the newest versions that hold a text and that the scope reads, the newest first.

    None that was withdrawn, none whose thread the reader does not read, and none that was
    written after it left.
    """
    newer = Annotation.objects.filter(
        organization=OuterRef("organization"),
        public_id=OuterRef("public_id"),
        version__gt=OuterRef("version"),
    )
    thread = Annotation.objects.filter(incident=OuterRef("incident"), public_id=OuterRef("answers"))
    incidents: QuerySet[Any] = access_incidents(actor=actor).order_by()
    rows = (
        Annotation.objects.filter(text__icontains=text, is_withdrawn=False)
        .filter(Q(answers="") | Exists(thread), ~Exists(newer))
        .filter(incident__in=incidents.values("pk"))
        .select_related("organization")
        .order_by("-created_at", "-id")
    )
    found = list(rows[: limit * 2])
    kept = incidents.filter(pk__in=[row.incident_id for row in found])
    named = {
        pk: (name, left) for pk, name, left in kept.values_list("pk", "shown_id", "kept__taken_at")
    }
    return [
        FoundAnnotation(incident=named[row.incident_id][0], annotation=version_of(row))
        for row in found
        if (left := named[row.incident_id][1]) is None or row.created_at <= left
    ][:limit]
