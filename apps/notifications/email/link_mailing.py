"""Letters with a link that works once: to confirm an address, and to become a member.

They are no news: they go by themselves, to addresses that nobody has confirmed yet.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from email.errors import MessageError
from email.headerregistry import Address
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage

from apps.notifications.email import link_emails, smtp_backend
from apps.tenancy.models import Organization
from apps.tenancy.people import email_addresses, mailed_links
from apps.tenancy.people.email_addresses import AskingLetter
from apps.tenancy.people.mailed_links import InvitingLetter
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work

logger = logging.getLogger(__name__)

TURN_SECONDS = 10.0
NO_ADDRESS = "nothing can be sent to this address; correct it"
Letter = AskingLetter | InvitingLetter


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a turn did."""

    sent_count: int = 0
    failed_count: int = 0
    is_server_away: bool = False


def is_due(*, now: datetime) -> bool:
    """Say whether a letter with a link waits, once everybody was asked who has to be."""
    if not settings.PORTAL_SMTP:
        return False
    email_addresses.ask_who_was_never_asked(now=now)
    return email_addresses.waiting(now=now).exists() or bool(_inviting(now))


def take_turn(*, clock: Callable[[], float], now: Callable[[], datetime]) -> Turn:
    """Send the letters that are due, until the time is over or the server is away."""
    if not is_due(now=now()):
        return Turn()
    ends_at, sent, failed = clock() + TURN_SECONDS, 0, 0
    letter: Letter | None = None
    try:
        with smtp_backend.conversation() as conversation:
            for letter in _letters(now):
                is_sent = _send(conversation, letter, now=now())
                sent, failed = sent + is_sent, failed + (not is_sent)
                if clock() >= ends_at:
                    break
    except smtp_backend.ServerAway as error:
        if letter is not None:
            _note_failed(letter, said=f"mail server: {error}", is_final=False, now=now())
        logger.warning("letters.server_away", extra={"reason": str(error)})
        return Turn(sent_count=sent, failed_count=failed + 1, is_server_away=True)
    return Turn(sent_count=sent, failed_count=failed)


def _inviting(now: datetime) -> list[int]:
    """Return the organizations with invitations to mail."""
    found = []
    for organization_id in Organization.objects.order_by("id").values_list("id", flat=True):
        with organization_scope(organization_id):
            if mailed_links.waiting(organization_id=organization_id, now=now).exists():
                found.append(organization_id)
    return found


def _letters(now: Callable[[], datetime]) -> Iterator[Letter]:
    while (asking := email_addresses.claim(now=now())) is not None:
        yield asking
    for organization_id in _inviting(now()):
        while (inviting := _claimed(organization_id, now())) is not None:
            yield inviting


def _claimed(organization_id: int, now: datetime) -> InvitingLetter | None:
    with organization_scope(organization_id):
        return mailed_links.claim(organization_id=organization_id, now=now)


def _send(conversation: smtp_backend.Backend, letter: Letter, *, now: datetime) -> bool:
    try:
        conversation.hand_over(_written(letter, now=now))
    except (ValueError, MessageError):
        _note_failed(letter, said=NO_ADDRESS, is_final=True, now=now)
        return False
    except (KeyError, TypeError, AttributeError, ArithmeticError, LookupError) as error:
        # One that can't be written stops no other.
        said = f"it could not be written ({failed_work.place_of(error)})"
        logger.error("letters.failed", extra={"where": failed_work.place_of(error)})  # noqa: TRY400
        _note_failed(letter, said=said, is_final=True, now=now)
        return False
    except smtp_backend.LetterRefused as refused:
        _note_failed(letter, said=str(refused), is_final=refused.is_final, now=now)
        return False
    if isinstance(letter, AskingLetter):
        email_addresses.note_sent(letter=letter, now=now)
        return True
    with organization_scope(letter.invitation.organization_id):
        mailed_links.note_sent(letter=letter, now=now)
    return True


def _written(letter: Letter, *, now: datetime) -> EmailMessage:
    if isinstance(letter, AskingLetter):
        email = letter.confirmation.email
        words = link_emails.asking(user=letter.user, code=letter.code)
    else:
        email = letter.invitation.email
        words = link_emails.inviting(invitation=letter.invitation, code=letter.code)
    host = urlsplit(settings.PORTAL_BASE_URL).hostname or "localhost"
    return link_emails.letter_of(words=words, to=Address(addr_spec=email), host=host, now=now)


def _note_failed(letter: Letter, *, said: str, is_final: bool, now: datetime) -> None:
    if isinstance(letter, AskingLetter):
        email_addresses.note_failed(letter=letter, said=said, is_final=is_final, now=now)
        return
    with organization_scope(letter.invitation.organization_id):
        mailed_links.note_failed(letter=letter, said=said, is_final=is_final, now=now)
