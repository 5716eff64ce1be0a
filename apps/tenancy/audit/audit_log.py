"""The append-only record of who did what, when and from where. Each entry seals the one before."""

import hashlib
import ipaddress
import json
from dataclasses import dataclass
from datetime import UTC, datetime

from django.http import HttpRequest

from apps.secret_shapes import hide_shapes
from apps.tenancy.access import Actor
from apps.tenancy.audit.chain import START
from apps.tenancy.database import advisory_locks
from apps.tenancy.database.advisory_locks import Lock
from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import AuditEntry, User
from apps.tenancy.scope import organization_scope

NOBODY = "anonymous"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditAction:
    """What was done, to what, by whom, from where. Ids only: never text of logs, never secrets."""

    action: str  # sign_in.failed, incident.exported …
    subject: str = ""
    actor: str = NOBODY
    remote_address: str | None = None
    count: int = 1


def record(*, organization_id: int, act: AuditAction, now: datetime) -> AuditEntry:
    """Append an act to an organization's chain. Needs its scope; one writer at a time."""
    hold(organization_id=organization_id)
    own = AuditEntry.objects.for_organization(organization_id)
    last = own.order_by("-sequence").first()
    entry = AuditEntry(
        organization_id=organization_id,
        sequence=last.sequence + 1 if last else 1,
        at=now,
        actor=_one_line(act.actor, 120),
        action=_one_line(act.action, 60),
        subject=_one_line(act.subject, 120),
        remote_address=act.remote_address,
        count=act.count,
    )
    entry.digest = digest_of_entry(entry=entry, former=bytes(last.digest) if last else START)
    entry.save(force_insert=True)
    return entry


def hold(*, organization_id: int) -> None:
    """Let nobody else write an organization's record until the transaction ends."""
    advisory_locks.hold(Lock.AUDIT_CHAIN, organization_id)


def record_act(
    *, actor: Actor, action: str, subject: str = "", request: HttpRequest, now: datetime
) -> None:
    """Append what an actor did, in a scope of the actor's organization."""
    act = AuditAction(
        action=action,
        subject=subject,
        actor=actor.label,
        remote_address=remote_address_of(request=request),
    )
    with organization_scope(actor.organization.pk):
        record(organization_id=actor.organization.pk, act=act, now=now)


def record_for_person(*, user: User, act: AuditAction, now: datetime) -> None:
    """Append what concerns a person to the chain of each organization the person belongs to."""
    for organization_id in memberships_of(user_id=user.pk):
        with organization_scope(organization_id):
            record(organization_id=organization_id, act=act, now=now)


def digest_of_entry(*, entry: AuditEntry, former: bytes) -> bytes:
    """Return what seals an entry together with the digest of the one before it."""
    at = entry.at.astimezone(UTC).isoformat(timespec="microseconds")
    told = [entry.organization_id, entry.sequence, at, entry.actor, entry.action, entry.subject]
    # Entries of before had no count: one alone is sealed as they are.
    counted = [entry.count] if entry.count != 1 else []
    words = json.dumps([*told, entry.remote_address, *counted], ensure_ascii=True)
    return hashlib.sha256(former + words.encode()).digest()


def remote_address_of(*, request: HttpRequest) -> str | None:
    """Return the address a request came from, None when the server does not know it."""
    try:
        return str(ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")))
    except ValueError:
        return None


def _one_line(text: str, limit: int) -> str:
    # What people typed must not forge lines in whatever prints the record, nor be a secret in it.
    hidden = hide_shapes(text)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in hidden)[:limit]
