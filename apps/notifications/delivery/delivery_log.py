"""The delivery log: what went to whom, how each try went, and sending it again."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from apps.diagnosis.model import statement
from apps.notifications import fan_out, wakeups
from apps.notifications.delivery import outbox
from apps.notifications.models import Delivery, DeliveryAttempt, Notification
from apps.notifications.notification_kinds import Channel, DeliveryState, NotificationKind
from apps.notifications.payload import news_body, page
from apps.tenancy.access import Actor, NotFound, Right

SHOWN = 25
TEST_PAUSE = timedelta(minutes=1)  # between two tests to one target
TRIES_SHOWN = 20


class StillWaiting(Exception):
    """A test is on its way already."""


class NotConfirmed(Exception):
    """Nobody confirmed the address yet: a letter that asks for it is another thing."""


class TooSoon(Exception):
    """A test went there a moment ago."""


class BeingSent(Exception):
    """It is on the wire: sent again now it would come twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """A delivery with its tries, newest first."""

    delivery: Delivery
    tries: tuple[DeliveryAttempt, ...]


def access_deliveries(*, actor: Actor) -> QuerySet[Delivery]:
    """Return the deliveries an actor may know of: an admin all, others their own letters."""
    actor.require(Right.READ)
    own = Delivery.objects.for_organization(actor.organization)
    mine = Q() if Right.MANAGE in actor.rights else Q(user=actor.user, channel=Channel.EMAIL)
    return own.filter(mine).select_related("notice", "user").order_by("-created_at", "-id")


def log_of(*, actor: Actor) -> list[Delivered]:
    """Return the newest deliveries with their tries. Needs the scope."""
    shown = list(access_deliveries(actor=actor)[:SHOWN])
    tries: dict[int, list[DeliveryAttempt]] = {}
    rows = DeliveryAttempt.objects.for_organization(actor.organization).filter(delivery__in=shown)
    for row in rows.order_by("-at", "-id"):
        tries.setdefault(row.delivery_id, []).append(row)
    return [
        Delivered(delivery=each, tries=tuple(tries.get(each.pk, ())[:TRIES_SHOWN]))
        for each in shown
    ]


def access_delivery(*, actor: Actor, public_id: str) -> Delivered:
    """Return one delivery with its tries; raise NotFound. Needs the scope."""
    found = access_deliveries(actor=actor).filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    tries = DeliveryAttempt.objects.for_organization(actor.organization).filter(delivery=found)
    return Delivered(delivery=found, tries=tuple(tries.order_by("-at", "-id")[:TRIES_SHOWN]))


def is_mail_delivered(*, actor: Actor) -> bool:
    """Say whether a mail server ever took an e-mail of the organization. Needs the scope."""
    actor.require(Right.READ)
    own = Delivery.objects.for_organization(actor.organization)
    return own.filter(channel=Channel.EMAIL, state=DeliveryState.SENT).exists()


def failed_count(*, actor: Actor) -> int:
    """Return how many deliveries were given up. Needs the scope."""
    return access_deliveries(actor=actor).filter(state=DeliveryState.FAILED).count()


def send_again(*, actor: Actor, public_id: str, now: datetime) -> None:
    """Send one delivery once more under its former id; raise NotFound, BeingSent."""
    found = access_deliveries(actor=actor).filter(public_id=public_id)
    if not _again(actor, found, now):
        raise BeingSent


def send_failed_again(*, actor: Actor, now: datetime) -> int:
    """Send everything once more that was given up, and return how much that is."""
    found = access_deliveries(actor=actor).filter(state=DeliveryState.FAILED)
    return _again(actor, found, now) if found.exists() else 0


def send_test(*, actor: Actor, channel: Channel, now: datetime) -> None:
    """Send a test to the actor's address, or as an admin to the webhook.

    Raises NotConfirmed, StillWaiting, TooSoon. Needs the scope.
    """
    actor.require(Right.MANAGE if channel == Channel.WEBHOOK else Right.READ)
    user = actor.user if channel == Channel.EMAIL else None
    if user is not None and not user.is_reachable:
        raise NotConfirmed
    organization = actor.organization
    # Two clicks at once make one.
    fan_out.hold(organization_id=organization.pk)
    former = access_deliveries(actor=actor).filter(
        notice__kind=NotificationKind.TEST, channel=channel, user=user
    )
    if former.filter(state=DeliveryState.WAITING).exists():
        raise StillWaiting
    if former.filter(created_at__gt=now - TEST_PAUSE).exists():
        raise TooSoon
    public_id = f"NTC-{secrets.token_hex(6).upper()}"
    notice = Notification.objects.create(
        organization=organization,
        public_id=public_id,
        kind=NotificationKind.TEST,
        subject=f"test:{public_id}",
        step=1,
        is_simulated=organization.is_simulated,
        body=news_body(
            told=statement("test-of-news"), url=page("web:notifications", organization.slug)
        ),
        created_at=now,
    )
    test = fan_out.delivery(notice=notice, channel=channel, due=now, now=now, user=user)
    fan_out.send_soon(organization=organization, deliveries=[test])


def _again(actor: Actor, found: QuerySet[Delivery], now: datetime) -> int:
    channels = {Channel(channel) for channel in found.values_list("channel", flat=True).order_by()}
    if not channels:
        raise NotFound
    count = outbox.again(deliveries=found.order_by(), now=now)
    wakeups.ask_on_commit(organization_id=actor.organization.pk, channels=channels)
    return count
