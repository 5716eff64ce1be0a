"""Requests for evidence as rows: doors to them, and what was done with each.

All of it needs the scope of the actor's organization.
"""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models import Q, QuerySet

from apps.incidents.evidence_requests.states import RequestAct
from apps.incidents.models import EvidenceRequest, EvidenceRequestAct, Incident
from apps.incidents.states import RequestActKind
from apps.sharing.terms import Level
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import Organization


def access_requests(*, actor: Actor) -> QuerySet[EvidenceRequest]:
    """Return the requests that the actor's organization is a side of, the newest first."""
    actor.require(Right.READ)
    own = Q(organization=actor.organization) | Q(counterpart=actor.organization)
    rows = EvidenceRequest.objects.filter(own)
    return rows.select_related("organization", "counterpart", "incident").order_by("-at", "-id")


def access_request(*, actor: Actor, public_id: str) -> EvidenceRequest:
    """Return one of these; raise NotFound."""
    found = access_requests(actor=actor).filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


def of_incident(*, incident: Incident) -> Q:
    """Return what picks the requests of an incident, and of those that were merged into it."""
    return Q(incident=incident.pk) | Q(incident__merged_into=incident.pk)


def acts_of(*, requests: Sequence[EvidenceRequest]) -> dict[int, tuple[RequestAct, ...]]:
    """Return request id → what was done with it, in order."""
    found: defaultdict[int, list[RequestAct]] = defaultdict(list)
    rows = EvidenceRequestAct.objects.filter(request__in=requests).order_by("at", "id")
    for row in rows if requests else ():
        found[row.request_id].append(_act(row))
    return {key: tuple(acts) for key, acts in found.items()}


def other_side(*, request: EvidenceRequest, organization_id: int) -> Organization:
    """Return the side that is not this one."""
    is_asker = request.organization_id == organization_id
    return request.counterpart if is_asker else request.organization


def _act(row: EvidenceRequestAct) -> RequestAct:
    return RequestAct(
        organization_id=row.organization_id,
        kind=RequestActKind(row.kind),
        by=row.by,
        at=row.at,
        reason=row.reason,
        level=Level(row.level) if row.level else None,
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        until=row.until,
    )
