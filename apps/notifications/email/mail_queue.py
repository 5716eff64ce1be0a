"""One kind of e-mails that wait: sent for a turn, in one conversation with the mail server.

Handing an e-mail to the server and marking it are two steps: a worker that dies between them sends
it once more.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from email.errors import MessageError
from typing import Final, Protocol

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import InterfaceError, OperationalError

from apps.diagnosis.model import statement
from apps.notifications.delivery.outbox import Outcome, SendingTurn
from apps.notifications.email import smtp_backend

logger = logging.getLogger(__name__)

TURN_SECONDS: Final = 10.0
NO_ADDRESS: Final = statement("not-an-email-address")


class HeldEmail(Protocol):
    """An e-mail that a turn holds."""

    def write(self, *, now: datetime) -> EmailMessage:
        """Return what is sent; raise ValueError where the address is none."""

    def note(self, *, outcome: Outcome, now: datetime) -> None:
        """Write down how the try went."""

    def drop_unwritable(self, *, error: Exception, now: datetime) -> "HeldEmail | None":
        """Write down what of it could not be written; return the rest, None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailQueue:
    """E-mails of one kind. `emails` holds each as it gives it.

    `notes_away`: a server that can't be reached is written down with the first one that waits.
    """

    is_due: Callable[[datetime], bool]
    emails: Callable[[Callable[[], datetime]], Iterator[HeldEmail]]
    notes_away: bool

    def take_turn(self, *, clock: Callable[[], float], now: Callable[[], datetime]) -> SendingTurn:
        """Send what is due, until the time is over or the server is away."""
        if not settings.PORTAL_SMTP or not self.is_due(now()):
            return SendingTurn()
        ends_at, sent, failed = clock() + TURN_SECONDS, 0, 0
        emails, is_more, is_open = self.emails(now), False, False
        held: HeldEmail | None = None
        try:
            with smtp_backend.conversation() as conversation:
                is_open = True
                while (held := next(emails, None)) is not None:
                    is_sent = _send(conversation, held, clock=clock, now=now)
                    sent, failed = sent + is_sent, failed + (not is_sent)
                    held = None
                    if clock() >= ends_at:
                        is_more = True
                        break
        except smtp_backend.ServerAway as error:
            if held is None and self.notes_away and not is_open:
                held = next(emails, None)
            if held is not None:
                told = statement("mail-server-away", answer=str(error)[:250])
                outcome = Outcome(is_success=False, failure=told, is_away=True)
                held.note(outcome=outcome, now=now())
            logger.warning("letters.server_away", extra={"reason": str(error)})
            return SendingTurn(sent_count=sent, failed_count=failed + 1, is_server_away=True)
        return SendingTurn(sent_count=sent, failed_count=failed, is_more=is_more)


def _send(
    conversation: smtp_backend.Backend,
    email: HeldEmail,
    *,
    clock: Callable[[], float],
    now: Callable[[], datetime],
) -> bool:
    began = clock()
    try:
        conversation.hand_over(email.write(now=now()))
    except (ValueError, MessageError):
        # One address that is none must not hold up the others.
        outcome = Outcome(is_success=False, failure=NO_ADDRESS, is_final=True)
    except smtp_backend.LetterRefused as refused:
        outcome = Outcome(
            is_success=False,
            status=refused.status,
            failure=statement("text", text=str(refused)[:300]),
            is_final=refused.is_final,
            seconds=clock() - began,
        )
    except (smtp_backend.ServerAway, OperationalError, InterfaceError, SoftTimeLimitExceeded):
        raise
    except Exception as error:  # noqa: BLE001  what is wrong with one e-mail stops no other
        rest = email.drop_unwritable(error=error, now=now())
        return rest is not None and _send(conversation, rest, clock=clock, now=now)
    else:
        outcome = Outcome(is_success=True, status=250, seconds=clock() - began)
    email.note(outcome=outcome, now=now())
    return outcome.is_success
