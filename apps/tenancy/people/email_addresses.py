"""E-mail addresses: whose each is. A letter with a link that works once asks its reader."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from apps.tenancy.audit.audit_log import AuditAction, record_for_person
from apps.tenancy.credentials import digest_of
from apps.tenancy.models import Confirmation, User
from apps.tenancy.work.leases import Lease, pause_after

LINK_LASTS = timedelta(days=3)
# Between two letters to one person: whoever types other people's addresses writes to few of them.
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=6)
LEASE = Lease(lasts=timedelta(minutes=5), until="due_at", due="due_at")
TRIED_FOR = timedelta(days=3)
CODE_LIMIT = 120
AT_ONCE = 100


class AddressLinkGone(Exception):
    """The link was used, is too old, was for another address, or never was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingLetter:
    """A letter to write, with the code of its link, which exists only here."""

    confirmation: Confirmation
    user: User
    code: str


def ask(*, user: User, now: datetime) -> Confirmation | None:
    """Let a letter ask whether the address is this person's; None where it needs none."""
    if not user.email or user.is_reachable:
        return None
    with transaction.atomic():
        row, _ = Confirmation.objects.select_for_update().get_or_create(
            user=user, defaults={"email": user.email, "asked_at": now}
        )
        if row.email == user.email and row.due_at is not None:
            return row
        if row.email != user.email:
            row.digest = row.digest_at = None
        row.email, row.asked_at, row.said = user.email, now, ""
        row.due_at = _due(row, now)
        row.save()
    return row


def asked_of(*, user: User) -> Confirmation | None:
    """Return how it stands with the letter about the address that the person has now."""
    return Confirmation.objects.filter(user=user, email=user.email).first()


def ask_who_was_never_asked(*, now: datetime) -> int:
    """Ask those whose address came by a command or from before; return how many.

    Who has no password yet is on the way in, maybe by a mailed link that confirms it, too.
    """
    asked = Confirmation.objects.filter(user=OuterRef("pk"), email=OuterRef("email"))
    people = User.objects.filter(~Exists(asked), is_active=True).exclude(email="")
    people = people.exclude(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    found = list(people.exclude(email=F("confirmed_email")).order_by("id")[:AT_ONCE])
    for user in found:
        ask(user=user, now=now)
    return len(found)


def waiting(*, now: datetime) -> QuerySet[Confirmation]:
    """Return the letters that are due; none to an address that was given up or proven meanwhile."""
    due = Confirmation.objects.filter(LEASE.ready(now=now), user__is_active=True)
    return due.filter(user__email=F("email")).exclude(user__confirmed_email=F("email"))


def claim(*, now: datetime) -> AskingLetter | None:
    """Take the next letter to write; whoever dies over it leaves it to the next turn."""
    with transaction.atomic():
        rows = waiting(now=now).select_for_update(skip_locked=True, of=("self",))
        row = rows.select_related("user").order_by("due_at", "id").first()
        if row is None:
            return None
        code = secrets.token_urlsafe(32)
        row.digest, row.digest_at = digest_of(code), now
        row.due_at = now + LEASE.lasts
        row.save(update_fields=["digest", "digest_at", "due_at"])
    return AskingLetter(confirmation=row, user=row.user, code=code)


def note_sent(*, letter: AskingLetter, now: datetime) -> None:
    """Write down that the server took a letter."""
    # It counts, too, if another address was typed while it was on the wire.
    rows = Confirmation.objects.filter(pk=letter.confirmation.pk)
    rows.update(sent_at=now, letter_count=F("letter_count") + 1)
    _same(letter).update(due_at=None, said="")


def note_failed(*, letter: AskingLetter, said: str, is_final: bool, now: datetime) -> None:
    """Write down why a letter was not taken; it is tried again unless that can't help."""
    is_over = is_final or now - letter.confirmation.asked_at > TRIED_FOR
    _same(letter).update(
        said=said[:200],
        due_at=None if is_over else now + LEASE.lasts,
        letter_count=F("letter_count") + int(is_final),
    )


def asks_for(*, code: str, now: datetime) -> Confirmation:
    """Return what a link asks, unused; raise AddressLinkGone."""
    row = _good(code, now).select_related("user").first()
    if row is None or row.user.email != row.email:
        raise AddressLinkGone
    return row


def confirm(*, code: str, remote_address: str | None, now: datetime) -> User:
    """Take the address as the person's own; raise AddressLinkGone."""
    with transaction.atomic():
        row = _good(code, now).select_for_update(of=("self",)).select_related("user").first()
        if row is None or not confirm_directly(user=row.user, email=row.email):
            raise AddressLinkGone
        # The row stays: its count of letters holds for the next address, too.
        row.digest = row.digest_at = row.due_at = None
        row.save(update_fields=["digest", "digest_at", "due_at"])
        act = AuditAction(
            action="account.address_confirmed",
            subject=row.user.label,
            actor=row.user.label,
            remote_address=remote_address,
        )
        record_for_person(user=row.user, act=act, now=now)
    return row.user


def confirm_directly(*, user: User, email: str) -> bool:
    """Take an address that was proven as confirmed; say whether it is the person's by now."""
    is_still = User.objects.filter(pk=user.pk, email=email).exclude(email="")
    if not is_still.update(confirmed_email=email):
        return False
    user.confirmed_email = email
    return True


def _due(row: Confirmation, now: datetime) -> datetime:
    if not row.letter_count:
        return now
    pause = pause_after(failures=row.letter_count, first=FIRST_PAUSE, longest=LONGEST_PAUSE)
    return max(now, (row.sent_at or now) + pause)


def _same(letter: AskingLetter) -> QuerySet[Confirmation]:
    # Another address may have been asked for meanwhile.
    row = letter.confirmation
    return Confirmation.objects.filter(pk=row.pk, email=row.email, digest=row.digest)


def _good(code: str, now: datetime) -> QuerySet[Confirmation]:
    digest = digest_of(code[:CODE_LIMIT])
    return Confirmation.objects.filter(digest=digest, digest_at__gt=now - LINK_LASTS)
