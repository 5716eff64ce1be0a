"""E-mails about news: one person's at a time, each organization in turn.

What is sent once more, because its worker died, has the same Message-ID.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.core.mail import EmailMessage

from apps.diagnosis.model import statement
from apps.notifications.delivery import outbox
from apps.notifications.delivery.outbox import Outcome
from apps.notifications.email.emails import letter_of
from apps.notifications.email.mail_queue import MailQueue
from apps.notifications.models import Delivery, Subscription
from apps.notifications.notification_kinds import Channel
from apps.notifications.preferences.delivery_schedule import DeliverySchedule, after_quiet
from apps.notifications.preferences.preferences import wish_of_subscription
from apps.tenancy.models import Membership, Organization, User
from apps.tenancy.scope import organization_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsEmail:
    """What is told one person as one e-mail, about everything that waits."""

    deliveries: Sequence[Delivery]
    user: User

    def write(self, *, now: datetime) -> EmailMessage:
        """Return what is sent."""
        zone = _zone_of(self.deliveries[0])
        return letter_of(deliveries=self.deliveries, user=self.user, zone=zone, now=now)

    def note(self, *, outcome: Outcome, now: datetime) -> None:
        """Write down how the try went."""
        with organization_scope(self.deliveries[0].organization_id):
            outbox.note(deliveries=self.deliveries, outcome=outcome, now=now)

    def drop_unwritable(self, *, error: Exception, now: datetime) -> "NewsEmail | None":
        """Write down which news can't be written; return the others."""
        bad = [each for each in self.deliveries if not self._can_be_written(each, now)]
        rest = [each for each in self.deliveries if each not in bad] if bad else []
        failed = NewsEmail(deliveries=bad or self.deliveries, user=self.user)
        failed.note(outcome=outbox.unmade(deliveries=failed.deliveries, error=error), now=now)
        return NewsEmail(deliveries=rest, user=self.user) if rest else None

    def _can_be_written(self, delivery: Delivery, now: datetime) -> bool:
        try:
            NewsEmail(deliveries=[delivery], user=self.user).write(now=now)
        except Exception:  # noqa: BLE001  why is kept of the e-mail that they were in
            return False
        return True


def waiting_organizations(*, now: datetime) -> list[int]:
    """Return the organizations with letters that are due."""
    return [
        organization_id
        for organization_id in Organization.objects.order_by("id").values_list("id", flat=True)
        if _has_letters(organization_id, now)
    ]


def _emails(now: Callable[[], datetime]) -> Iterator[NewsEmail]:
    """Hold one person's e-mail at a time; its organization goes to the end of the line."""
    queue = deque(waiting_organizations(now=now()))
    while queue:
        organization_id = queue.popleft()
        with organization_scope(organization_id):
            claimed = outbox.claim_letter(organization_id=organization_id, now=now())
            wanted = _wanted(claimed, now=now())
        if claimed:
            queue.append(organization_id)
        user = wanted[0].user if wanted else None
        if user is not None:
            yield NewsEmail(deliveries=wanted, user=user)


def _has_letters(organization_id: int, now: datetime) -> bool:
    with organization_scope(organization_id):
        due = outbox.waiting(organization_id=organization_id, channel=Channel.EMAIL, now=now)
        return due.exists()


def _wanted(letters: list[Delivery], *, now: datetime) -> list[Delivery]:
    """Drop what its recipient may not read any more, or can't be sent."""
    if not letters:
        return []
    user, organization_id = letters[0].user, letters[0].organization_id
    members = Membership.objects.for_organization(organization_id)
    if user is None or not user.is_active or not members.filter(user=user).exists():
        outbox.drop(deliveries=letters, reason=statement("no-member-now"), now=now)
        return []
    if not user.email:
        outbox.drop(deliveries=letters, reason=statement("no-email-address"), now=now)
        return []
    if not user.is_reachable:
        # It waits for the new address to be confirmed, as for a server that is away.
        told = statement("address-unconfirmed")
        outcome = Outcome(is_success=False, failure=told, is_away=True)
        outbox.note(deliveries=letters, outcome=outcome, now=now)
        return []
    unwanted = outbox.unwanted(deliveries=letters)
    if unwanted:
        outbox.drop(deliveries=unwanted, reason=statement("no-party-now"), now=now)
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


def _zone_of(letter: Delivery) -> ZoneInfo:
    with organization_scope(letter.organization_id):
        return _pace(letter).zone


def _pace(letter: Delivery) -> DeliverySchedule:
    own = Subscription.objects.for_organization(letter.organization_id)
    row = own.filter(user=letter.user_id).first()
    return wish_of_subscription(row).pace if row else DeliverySchedule()


NEWS: Final = MailQueue(
    is_due=lambda now: bool(waiting_organizations(now=now)), emails=_emails, notes_away=True
)
