"""A turn of letters: one at a time for the whole portal, a few seconds, one conversation.

Handing a letter to the server and marking it are two steps: a worker that dies between them sends
it once more, under the same Message-ID.
"""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.errors import MessageError
from zoneinfo import ZoneInfo

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import InterfaceError, OperationalError

from apps.notifications.delivery import outbox
from apps.notifications.delivery.outbox import Outcome
from apps.notifications.email import smtp_backend
from apps.notifications.email.emails import letter_of
from apps.notifications.models import Delivery, Subscription
from apps.notifications.notification_kinds import Channel
from apps.notifications.preferences.delivery_schedule import DeliverySchedule, after_quiet
from apps.notifications.preferences.preferences import wish_of_subscription
from apps.tenancy.models import Membership, Organization, User
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)

TURN_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a turn did."""

    sent_count: int = 0
    failed_count: int = 0
    is_more: bool = False
    is_server_away: bool = False


def waiting_organizations(*, now: datetime) -> list[int]:
    """Return the organizations with letters that are due."""
    return [
        organization_id
        for organization_id in Organization.objects.order_by("id").values_list("id", flat=True)
        if _has_letters(organization_id, now)
    ]


def take_turn(*, clock: Callable[[], float], now: Callable[[], datetime]) -> Turn:
    """Send what is due, organization by organization in turn, until the time is over."""
    queue = deque(waiting_organizations(now=now()))
    if not queue or not settings.PORTAL_SMTP:
        return Turn()
    ends_at = clock() + TURN_SECONDS
    sent, failed = 0, 0
    letters: list[Delivery] = []
    try:
        letters = _next(queue, now=now())
        with smtp_backend.conversation() as conversation:
            while letters:
                is_sent = _send(conversation, letters, clock=clock, now=now)
                sent, failed = sent + is_sent, failed + (not is_sent)
                letters = _next(queue, now=now()) if clock() < ends_at else []
    except smtp_backend.ServerAway as error:
        outcome = Outcome(is_success=False, error=f"mail server: {error}", is_away=True)
        _note(letters, outcome, now=now())
        logger.warning("letters.server_away", extra={"reason": str(error)})
        return Turn(sent_count=sent, failed_count=failed + 1, is_server_away=True)
    return Turn(sent_count=sent, failed_count=failed, is_more=bool(queue))


def _has_letters(organization_id: int, now: datetime) -> bool:
    with organization_scope(organization_id):
        due = outbox.waiting(organization_id=organization_id, channel=Channel.EMAIL, now=now)
        return due.exists()


def _next(queue: deque[int], *, now: datetime) -> list[Delivery]:
    """Claim one person's letter; its organization goes to the end of the line."""
    while queue:
        organization_id = queue.popleft()
        with organization_scope(organization_id):
            claimed = outbox.claim_letter(organization_id=organization_id, now=now)
            letters = _wanted(claimed, now=now)
        if claimed:
            queue.append(organization_id)
        if letters:
            return letters
    return []


def _wanted(letters: list[Delivery], *, now: datetime) -> list[Delivery]:
    """Drop what its recipient may not read any more, or can't be sent."""
    if not letters:
        return []
    user, organization_id = letters[0].user, letters[0].organization_id
    members = Membership.objects.for_organization(organization_id)
    if user is None or not user.is_active or not members.filter(user=user).exists():
        outbox.drop(deliveries=letters, reason="no member any more", now=now)
        return []
    if not user.email:
        outbox.drop(deliveries=letters, reason="no e-mail address", now=now)
        return []
    if not user.is_reachable:
        # It waits for the new address to be confirmed, as for a server that is away.
        said = "this address is not confirmed yet"
        outcome = Outcome(is_success=False, error=said, is_away=True)
        outbox.note(deliveries=letters, outcome=outcome, now=now)
        return []
    unwanted = outbox.unwanted(deliveries=letters)
    if unwanted:
        outbox.drop(deliveries=unwanted, reason="no party of the incident any more", now=now)
    quiet = _asleep([each for each in letters if each not in unwanted], now=now)
    return [each for each in letters if each not in unwanted and each not in quiet]


def _asleep(letters: list[Delivery], *, now: datetime) -> list[Delivery]:
    """Put off what comes late, from a server that was away, and would come at night."""
    found = [each for each in letters if not each.wakes]
    until = after_quiet(pace=_pace(found[0]), at=now) if found else now
    if until <= now:
        return []
    outbox.put_off(deliveries=found, until=until)
    return found


def _send(
    conversation: smtp_backend.Backend,
    letters: Sequence[Delivery],
    *,
    clock: Callable[[], float],
    now: Callable[[], datetime],
) -> bool:
    user = letters[0].user
    assert user is not None  # noqa: S101  _wanted dropped the others
    began = clock()
    try:
        letter = letter_of(deliveries=letters, user=user, zone=_zone_of(letters[0]), now=now())
        conversation.hand_over(letter)
    except (ValueError, MessageError):
        # One address that is none must not hold up the others.
        said = "nothing can be sent to this address; correct it"
        outcome = Outcome(is_success=False, error=said, is_final=True)
    except smtp_backend.LetterRefused as refused:
        outcome = Outcome(
            is_success=False,
            status=refused.status,
            error=str(refused),
            is_final=refused.is_final,
            seconds=clock() - began,
        )
    except (smtp_backend.ServerAway, OperationalError, InterfaceError, SoftTimeLimitExceeded):
        raise
    except Exception as error:  # noqa: BLE001  what is wrong with one piece of news stops no other
        bad = [each for each in letters if not _can_be_written(each, user, now())]
        _note(bad or letters, outbox.unmade(deliveries=bad or letters, error=error), now=now())
        rest = [each for each in letters if each not in bad] if bad else []
        return bool(rest) and _send(conversation, rest, clock=clock, now=now)
    else:
        outcome = Outcome(is_success=True, status=250, seconds=clock() - began)
    _note(letters, outcome, now=now())
    return outcome.is_success


def _can_be_written(delivery: Delivery, user: User, now: datetime) -> bool:
    try:
        letter_of(deliveries=[delivery], user=user, zone=_zone_of(delivery), now=now)
    except Exception:  # noqa: BLE001  why is kept of the letter that they were in
        return False
    return True


def _note(letters: Sequence[Delivery], outcome: Outcome, *, now: datetime) -> None:
    if letters:
        with organization_scope(letters[0].organization_id):
            outbox.note(deliveries=letters, outcome=outcome, now=now)


def _zone_of(letter: Delivery) -> ZoneInfo:
    with organization_scope(letter.organization_id):
        return _pace(letter).zone


def _pace(letter: Delivery) -> DeliverySchedule:
    own = Subscription.objects.for_organization(letter.organization_id)
    row = own.filter(user=letter.user_id).first()
    return wish_of_subscription(row).pace if row else DeliverySchedule()
