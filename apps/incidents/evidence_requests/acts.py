"""Asking another party of an incident for evidence, and what that party says to it.

Each side writes rows of its own in its own scope. What lets data out is an
admin's, as signing an agreement is; asking and holding back is also a responder's.
All of it needs the scope of the actor's organization.
"""

import secrets
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final

from apps.fleet.models import Cluster
from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.incidents.evidence_requests.moments import act_fact, asked_fact
from apps.incidents.evidence_requests.request_terms import (
    BadRequestTerms,
    GrantEntry,
    GrantTerms,
    RequestEntry,
    asked_window,
    check_asked,
    granted_terms,
    read_reason,
)
from apps.incidents.evidence_requests.requests import access_request, acts_of, other_side
from apps.incidents.evidence_requests.states import RequestState, state_of
from apps.incidents.lifecycle import telling
from apps.incidents.models import EvidenceRequest, EvidenceRequestAct, Incident
from apps.incidents.projection.access import present_parties, require_part
from apps.incidents.projection.shared.reader_place import hosts_named_to, incident_place
from apps.incidents.states import RequestActKind
from apps.sharing.pseudonym_keys import keep_pair_key
from apps.sharing.terms import Level
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.database import advisory_locks
from apps.tenancy.database.advisory_locks import Lock
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization

WAITING_AT_MOST: Final = 50  # of one organization on one incident
ASKED_AT_MOST: Final = 100  # of the same in a day, taken back or answered or not


class RequestMoved(Exception):
    """The request stands otherwise meanwhile: look again, then decide."""


def ask(
    *, actor: Actor, incident: Incident, entry: RequestEntry, context: ActContext
) -> EvidenceRequest:
    """Ask another party of an incident for one class of data; return the request.

    Raises NotFound for a party that the actor does not know there, and BadRequestTerms.
    """
    require_part(actor=actor, incident=incident)
    holder = _holder(actor, incident, entry.holder)
    reason = read_reason(entry.reason)
    check_asked(entry, hosts=hosts_named_to(actor=actor, incident=incident))
    starts_at, ends_at = asked_window(entry, place=incident_place(incident))
    _hold(incident)
    _check_count(actor, incident, context.now)
    row = EvidenceRequest.objects.create(
        organization=actor.organization,
        counterpart=holder,
        incident_id=incident.pk,
        public_id="REQ-" + secrets.token_hex(5).upper(),
        data=entry.data,
        level=entry.level,
        host=entry.host,
        starts_at=starts_at,
        ends_at=ends_at,
        until=context.now + timedelta(days=entry.days),
        reason=reason,
        by=actor.name,
        at=context.now,
    )
    _tell(row, None, context)
    return row


def take_back(*, actor: Actor, public_id: str, context: ActContext) -> None:
    """Take back what one's own side asked for and nobody answered yet. Raises RequestMoved."""
    row = _waiting(actor, public_id, context.now, is_asker=True)
    write_act(actor=actor, row=row, kind=RequestActKind.TAKEN_BACK, context=context)


def grant(*, actor: Actor, public_id: str, entry: GrantEntry, context: ActContext) -> None:
    """Show what is asked for, or less of it. Raises RequestMoved, BadRequestTerms."""
    actor.require(Right.MANAGE)
    row = _waiting(actor, public_id, context.now, is_asker=False)
    asked = GrantTerms(
        level=Level(row.level), starts_at=row.starts_at, ends_at=row.ends_at, until=row.until
    )
    terms = granted_terms(entry, asked=asked, now=context.now)
    kind = RequestActKind.GRANTED if terms == asked else RequestActKind.NARROWED
    keep_pair_key(
        holder=actor.organization,
        reader=row.organization,
        cluster=Cluster.objects.get(pk=int(row.incident.cluster_id or 0)),
        now=context.now,
    )
    write_act(actor=actor, row=row, kind=kind, context=context, **asdict(terms))


def decline(*, actor: Actor, public_id: str, reason: str, context: ActContext) -> None:
    """Say no, and why. Raises RequestMoved, BadRequestTerms without a reason."""
    row = _waiting(actor, public_id, context.now, is_asker=False)
    write_act(
        actor=actor,
        row=row,
        kind=RequestActKind.DECLINED,
        context=context,
        reason=read_reason(reason),
    )


def revoke(*, actor: Actor, public_id: str, reason: str, context: ActContext) -> None:
    """End a grant at once. Raises RequestMoved, BadRequestTerms without a reason."""
    granted = frozenset({RequestState.GRANTED, RequestState.NARROWED})
    row = _standing(actor, public_id, context.now, states=granted, is_asker=False)
    write_act(
        actor=actor,
        row=row,
        kind=RequestActKind.REVOKED,
        context=context,
        reason=read_reason(reason),
    )


def may_answer(*, actor: Actor, request: EvidenceRequest) -> bool:
    """Say whether the actor may say yes: as an admin of who was asked, while both take part."""
    is_holder = request.counterpart_id == actor.organization.pk
    return is_holder and Right.MANAGE in actor.rights and _both_take_part(request)


def _holder(actor: Actor, incident: Incident, slug: str) -> Organization:
    own = actor.organization.pk
    known = set(present_parties(incident=incident, organization_id=own)) - {own}
    found = Organization.objects.filter(pk__in=known, slug=slug.replace("\x00", "")).first()
    if found is None:
        raise NotFound
    return found


def _check_count(actor: Actor, incident: Incident, now: datetime) -> None:
    own = EvidenceRequest.objects.for_organization(actor.organization).filter(incident=incident.pk)
    if own.filter(at__gt=now - timedelta(days=1)).count() >= ASKED_AT_MOST:
        raise BadRequestTerms("data", f"{ASKED_AT_MOST} requests of yours within a day are enough")
    rows = list(own.filter(until__gt=now))
    acts = acts_of(requests=rows)
    states = [state_of(acts=acts.get(row.pk, ()), until=row.until, now=now) for row in rows]
    if states.count(RequestState.WAITING) >= WAITING_AT_MOST:
        raise BadRequestTerms("data", f"{WAITING_AT_MOST} requests of yours wait here already")


def require_waiting(*, actor: Actor, public_id: str, now: datetime) -> EvidenceRequest:
    """Return a request that waits for the actor's organization; raise NotFound, RequestMoved."""
    return _waiting(actor, public_id, now, is_asker=False)


def _waiting(actor: Actor, public_id: str, now: datetime, *, is_asker: bool) -> EvidenceRequest:
    waiting = frozenset({RequestState.WAITING})
    return _standing(actor, public_id, now, states=waiting, is_asker=is_asker)


def _standing(
    actor: Actor,
    public_id: str,
    now: datetime,
    *,
    states: frozenset[RequestState],
    is_asker: bool,
) -> EvidenceRequest:
    """Return a request that stands so, with nobody else acting on it; raise RequestMoved."""
    actor.require(Right.ACT)
    row = access_request(actor=actor, public_id=public_id)
    if (row.organization_id == actor.organization.pk) is not is_asker:
        raise NotFound
    if not _both_take_part(row):
        raise NotFound
    _hold(row.incident)
    acts = acts_of(requests=[row]).get(row.pk, ())
    if state_of(acts=acts, until=row.until, now=now) not in states:
        raise RequestMoved
    return row


def _both_take_part(row: EvidenceRequest) -> bool:
    present = parties_of(cluster_id=int(row.incident.cluster_id or 0))
    return {row.organization_id, row.counterpart_id} <= {*present}


def write_act(
    *, actor: Actor, row: EvidenceRequest, kind: RequestActKind, context: ActContext, **more: Any
) -> None:
    """Write down what a side did, and let both sides know."""
    EvidenceRequestAct.objects.create(
        organization=actor.organization,
        counterpart=other_side(request=row, organization_id=actor.organization.pk),
        request=row,
        kind=kind,
        by=actor.name,
        at=context.now,
        **more,
    )
    _tell(row, kind, context)


def _tell(row: EvidenceRequest, kind: RequestActKind | None, context: ActContext) -> None:
    """Write what was done, or that it was asked, into both sides' records and timeline."""
    actor = context.actor
    sides = {row.organization_id, row.counterpart_id}
    subject = f"{row.incident.public_id} {row.public_id}"
    record_cross_party_act(f"evidence.{kind or 'requested'}", subject, context, others=sides)
    other = other_side(request=row, organization_id=actor.organization.pk)
    who = telling.actor_fact(actor)
    to = telling.who_acts(organization=other.name, person="")
    telling.tell(
        actor=actor,
        incident=row.incident.merged_into or row.incident,
        kind="evidence-request",
        told=act_fact(kind, who=who, to=to, data=row.data)
        if kind
        else asked_fact(who=who, to=to, data=row.data),
        audience=sorted(sides),
        now=context.now,
    )


def _hold(incident: Incident) -> None:
    advisory_locks.hold(Lock.AGREEMENTS, int(incident.cluster_id or 0))
