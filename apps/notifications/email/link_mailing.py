"""E-mails with a link that works once: to confirm an address, and to become a member.

They are no news: they go by themselves, to addresses that nobody has confirmed yet.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage

from apps.diagnosis.model import statement
from apps.notifications.delivery.outbox import Outcome
from apps.notifications.email import link_emails
from apps.notifications.email.link_emails import Words
from apps.notifications.email.mail_queue import MailQueue
from apps.tenancy.models import Organization
from apps.tenancy.people import email_addresses, mailed_links
from apps.tenancy.people.email_addresses import AskingLetter
from apps.tenancy.people.mailed_links import InvitingLetter
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationEmail:
    """Asks whether an address is somebody's own."""

    letter: AskingLetter

    def write(self, *, now: datetime) -> EmailMessage:
        """Return what is sent."""
        words = link_emails.asking(user=self.letter.user, code=self.letter.code)
        return _written(words, email=self.letter.confirmation.email, now=now)

    def note(self, *, outcome: Outcome, now: datetime) -> None:
        """Write down how the try went."""
        if outcome.is_success:
            email_addresses.note_sent(letter=self.letter, now=now)
        else:
            said, is_final = outcome.error, outcome.is_final
            email_addresses.note_failed(letter=self.letter, said=said, is_final=is_final, now=now)

    def drop_unwritable(self, *, error: Exception, now: datetime) -> None:
        """Write down that it can't be written."""
        self.note(outcome=_unwritable(error), now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationEmail:
    """Invites somebody to become a member, or to choose a password."""

    letter: InvitingLetter

    def write(self, *, now: datetime) -> EmailMessage:
        """Return what is sent."""
        words = link_emails.inviting(invitation=self.letter.invitation, code=self.letter.code)
        return _written(words, email=self.letter.invitation.email, now=now)

    def note(self, *, outcome: Outcome, now: datetime) -> None:
        """Write down how the try went."""
        with organization_scope(self.letter.invitation.organization_id):
            if outcome.is_success:
                mailed_links.note_sent(letter=self.letter, now=now)
            else:
                said, is_final = outcome.error, outcome.is_final
                mailed_links.note_failed(letter=self.letter, said=said, is_final=is_final, now=now)

    def drop_unwritable(self, *, error: Exception, now: datetime) -> None:
        """Write down that it can't be written."""
        self.note(outcome=_unwritable(error), now=now)


def is_due(*, now: datetime) -> bool:
    """Say whether an e-mail with a link waits, once everybody was asked who has to be."""
    if not settings.PORTAL_SMTP:
        return False
    email_addresses.ask_who_was_never_asked(now=now)
    return email_addresses.waiting(now=now).exists() or bool(_inviting(now))


def _inviting(now: datetime) -> list[int]:
    """Return the organizations with invitations to mail."""
    found = []
    for organization_id in Organization.objects.order_by("id").values_list("id", flat=True):
        with organization_scope(organization_id):
            if mailed_links.waiting(organization_id=organization_id, now=now).exists():
                found.append(organization_id)
    return found


def _emails(now: Callable[[], datetime]) -> Iterator[ConfirmationEmail | InvitationEmail]:
    while (asking := email_addresses.claim(now=now())) is not None:
        yield ConfirmationEmail(letter=asking)
    for organization_id in _inviting(now()):
        while (inviting := _claimed(organization_id, now())) is not None:
            yield InvitationEmail(letter=inviting)


def _claimed(organization_id: int, now: datetime) -> InvitingLetter | None:
    with organization_scope(organization_id):
        return mailed_links.claim(organization_id=organization_id, now=now)


def _written(words: Words, *, email: str, now: datetime) -> EmailMessage:
    host = urlsplit(settings.PORTAL_BASE_URL).hostname or "localhost"
    return link_emails.letter_of(words=words, to=Address(addr_spec=email), host=host, now=now)


def _unwritable(error: Exception) -> Outcome:
    where = failed_work.place_of(error)
    logger.error("letters.failed", extra={"where": where})
    return Outcome(
        is_success=False, failure=statement("email-unwritten", where=where), is_final=True
    )


# While no server is reached nothing is held: a link waits for it as long as it would work.
LINKS: Final = MailQueue(is_due=lambda now: is_due(now=now), emails=_emails, notes_away=False)
