"""Invitations that go out by letter: claimed one at a time, each with a secret of its own.

The link that the admin sees has another secret, so that following the mailed one proves that its
address is read.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.tenancy.credentials import digest_of, letters
from apps.tenancy.models import Invitation, OwnedQuerySet
from apps.tenancy.people.invitations import SECRET_LENGTH
from apps.tenancy.work.leases import Lease

LEASE: Final = Lease(lasts=timedelta(minutes=5), until="mail_due_at", due="mail_due_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitingLetter:
    """A letter to write, with the code of its link, which exists only here."""

    invitation: Invitation
    code: str


def waiting(*, organization_id: int, now: datetime) -> OwnedQuerySet[Invitation]:
    """Return the invitations whose letter is due and whose link still works. Needs the scope."""
    own = Invitation.objects.for_organization(organization_id)
    usable = own.filter(used_at=None, revoked_at=None, expires_at__gt=now)
    return usable.filter(LEASE.ready(now=now))


def claim(*, organization_id: int, now: datetime) -> InvitingLetter | None:
    """Take the next letter to write; who dies over it leaves it to the next. Needs the scope."""
    rows = waiting(organization_id=organization_id, now=now)
    free = rows.select_for_update(skip_locked=True, of=("self",))
    row = free.select_related("organization", "user").order_by("mail_due_at", "id").first()
    if row is None:
        return None
    secret = letters(SECRET_LENGTH)
    row.mail_digest, row.mail_due_at = digest_of(secret), now + LEASE.lasts
    row.save(update_fields=["mail_digest", "mail_due_at"])
    return InvitingLetter(invitation=row, code=f"{row.organization.slug}.{secret}")


def note_sent(*, letter: InvitingLetter, now: datetime) -> None:
    """Write down that the server took it. Needs the scope."""
    _own(letter).update(mail_due_at=None, mailed_at=now, mail_said="")


def note_failed(*, letter: InvitingLetter, said: str, is_final: bool, now: datetime) -> None:
    """Write down why it was not taken; it is tried on while the link works. Needs the scope."""
    again = None if is_final else now + LEASE.lasts
    _own(letter).update(mail_due_at=again, mail_said=said[:200])


def _own(letter: InvitingLetter) -> OwnedQuerySet[Invitation]:
    row = letter.invitation
    return Invitation.objects.for_organization(row.organization_id).filter(pk=row.pk)
