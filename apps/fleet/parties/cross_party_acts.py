"""What a party does that concerns others: who, when and from where, for all their records."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from apps.tenancy.access import Actor
from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.scope import organization_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class ActContext:
    """Who did it, when and from where, for the records of both sides."""

    actor: Actor
    now: datetime
    remote_address: str | None = None


def record_cross_party_act(
    action: str, subject: str, context: ActContext, *, others: Collection[int] = ()
) -> None:
    """Append an act to the record of whoever did it, and to those of the others it is about.

    Others read which organization it was, never which person.
    """
    own = context.actor.organization
    # In one order: two who answer each other at once would wait for each other's records.
    for organization_id in sorted({own.pk, *others}):
        is_own = organization_id == own.pk
        entry = AuditAction(
            action=action,
            subject=subject,
            actor=context.actor.label if is_own else f"organization:{own.slug}",
            remote_address=context.remote_address if is_own else None,
        )
        with organization_scope(organization_id):
            record(organization_id=organization_id, act=entry, now=context.now)
