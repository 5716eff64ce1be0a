"""One party of an incident asks another for evidence, which answers."""

from datetime import datetime
from typing import Any

from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.evidence_requests.request_terms import GrantEntry, RequestEntry
from apps.incidents.facade import evidence_requests as requests
from apps.incidents.models import Incident
from apps.sharing.terms import Level
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import actor


def context(
    organization: Organization, role: MemberRole = MemberRole.ADMIN, *, now: datetime = make.AT
) -> ActContext:
    """Return a member of the organization who acts now."""
    return ActContext(actor=actor(organization, role), now=now)


def asked(
    incident: Incident,
    by: Organization,
    of: Organization,
    *,
    role: MemberRole = MemberRole.RESPONDER,
    now: datetime = make.AT,
    **entry: Any,
) -> str:
    """Let one party ask another; return the id of the request."""
    usual: dict[str, Any] = {"data": "metrics:gpu", "level": Level.FULL, "reason": "needed"}
    told = context(by, role, now=now)
    with organization_scope(by.pk):
        return requests.ask(
            actor=told.actor,
            incident=incident.public_id,
            entry=RequestEntry(holder=of.slug, **(usual | entry)),
            context=told,
        )


def granted(
    public_id: str,
    by: Organization,
    *,
    role: MemberRole = MemberRole.ADMIN,
    now: datetime = make.AT,
    **entry: Any,
) -> None:
    """Let the holder show what is asked for, or less."""
    told = context(by, role, now=now)
    with organization_scope(by.pk):
        requests.grant(
            actor=told.actor, public_id=public_id, entry=GrantEntry(**entry), context=told
        )
