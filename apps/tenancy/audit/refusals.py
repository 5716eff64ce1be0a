"""What was refused to somebody known, in the record of each side; a flood of it stays small.

The first of its kind within a minute is written at once. The others are counted, and one entry with
their number follows when the minute is over: the record is appended to, never changed.
"""

from datetime import datetime
from typing import Final

from apps.secret_shapes import hide_shapes
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.audit.audit_log import AuditAction, hold, record
from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import RefusalCount, User
from apps.tenancy.scope import organization_scope

REFUSED: Final = "access.refused"
# Who tries one name after the other fills no record either.
SUBJECTS_A_MINUTE: Final = 20
OTHERS: Final = "and more of it"
SUBJECT_LENGTH: Final = 120
AT_ONCE: Final = 500


def refuse_actor(
    *,
    actor: Actor,
    subject: str,
    remote_address: str | None,
    error: NotFound | None = None,
    now: datetime,
) -> None:
    """Record a refusal for the actor's organization, and for that whose thing was asked for.

    Others read which organization it was, never which person. Opens the scopes.
    """
    act = _deed(subject, actor.label, remote_address)
    _in_scope(actor.organization.pk, act, now)
    owner_id = error.owner_id if error else None
    if owner_id is not None and owner_id != actor.organization.pk:
        _in_scope(owner_id, _deed(subject, f"organization:{actor.organization.slug}", None), now)


def refuse_person(*, user: User, subject: str, remote_address: str | None, now: datetime) -> None:
    """Record a refusal for each organization of a person. Opens the scopes."""
    for organization_id in memberships_of(user_id=user.pk):
        _in_scope(organization_id, _deed(subject, user.label, remote_address), now)


def count_refusal(*, organization_id: int, act: AuditAction, now: datetime) -> None:
    """Record the first refusal of its kind within a minute, count the others. Needs the scope."""
    hold(organization_id=organization_id)  # one counts at a time
    minute = now.replace(second=0, microsecond=0)
    close_minutes(organization_id=organization_id, before=minute, now=now)
    own = RefusalCount.objects.for_organization(organization_id)
    same = own.filter(actor=act.actor, minute=minute)
    row = same.filter(subject=act.subject).first()
    if row is None and same.count() >= SUBJECTS_A_MINUTE:
        act = _deed(OTHERS, act.actor, act.remote_address)
        row = same.filter(subject=OTHERS).first()
    if row is not None:
        row.count, row.remote_address = row.count + 1, act.remote_address
        row.save(update_fields=["count", "remote_address"])
        return
    RefusalCount.objects.create(
        organization_id=organization_id,
        actor=act.actor,
        subject=act.subject,
        remote_address=act.remote_address,
        minute=minute,
    )
    record(organization_id=organization_id, act=act, now=now)


def close_minutes(*, organization_id: int, before: datetime, now: datetime) -> int:
    """Record how often what was refused in minutes that are over. Needs the scope."""
    own = RefusalCount.objects.for_organization(organization_id).filter(minute__lt=before)
    over = list(own.order_by("minute", "id")[:AT_ONCE])
    for row in over:
        if row.count > 1:
            act = _deed(row.subject, row.actor, row.remote_address, count=row.count - 1)
            record(organization_id=organization_id, act=act, now=now)
    own.filter(pk__in=[row.pk for row in over]).delete()
    return len(over)


def close_all(*, organization_id: int, now: datetime) -> None:
    """Record what was counted before this minute, whoever else counts. Opens the scope."""
    with organization_scope(organization_id):
        if not RefusalCount.objects.for_organization(organization_id).exists():
            return
        hold(organization_id=organization_id)
        before = now.replace(second=0, microsecond=0)
        close_minutes(organization_id=organization_id, before=before, now=now)


def _in_scope(organization_id: int, act: AuditAction, now: datetime) -> None:
    with organization_scope(organization_id):
        count_refusal(organization_id=organization_id, act=act, now=now)


def _deed(subject: str, actor: str, remote_address: str | None, count: int = 1) -> AuditAction:
    return AuditAction(
        action=REFUSED,
        subject=_plain(subject)[:SUBJECT_LENGTH],
        actor=actor,
        remote_address=remote_address,
        count=count,
    )


def _plain(text: str) -> str:
    # As the record writes it, and PostgreSQL takes no NUL.
    hidden = hide_shapes(text)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in hidden)
