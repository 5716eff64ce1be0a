"""Notices → deliveries: one for each recipient who wants it, in the transaction that tells it."""

import secrets
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import F, Q

from apps.fleet.access import clusters_with
from apps.notifications import wakeups
from apps.notifications.models import Delivery, Notification, Subscription, Webhook
from apps.notifications.notification_kinds import Channel
from apps.notifications.preferences.delivery_schedule import due_at
from apps.notifications.preferences.preferences import (
    Preference,
    wakes,
    wanted,
    wish_of_role,
    wish_of_subscription,
    wish_of_webhook,
)
from apps.tenancy.database import advisory_locks
from apps.tenancy.database.advisory_locks import Lock
from apps.tenancy.models import MemberRole, Membership, Organization, User

# An address that nobody confirmed may be anybody's.
REACHABLE = ~Q(user__email="") & Q(user__is_active=True, user__email=F("user__confirmed_email"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipient:
    """A member who can be written to, and what this person wants."""

    user: User
    wish: Preference


def hold(*, organization_id: int) -> None:
    """Let nobody else tell this organization anything until the transaction ends."""
    advisory_locks.hold(Lock.NOTIFICATIONS, organization_id)


def hand_on(
    *,
    organization: Organization,
    notices: Sequence[Notification],
    people: Collection[int] | None = None,
    without: Collection[int | None] = (),
    now: datetime,
) -> list[Notification]:
    """Write the notices of one look and their deliveries. Needs the scope and a lock on these.

    What is for some people alone goes to these, as far as they want it, and to no machine; nothing
    goes to those of `without`.
    """
    if not notices:
        return []
    Notification.objects.bulk_create(notices)
    letters = [
        letter
        for letter in _letters(organization, notices, now)
        if (people is None or letter.user_id in people) and letter.user_id not in without
    ]
    posts = _posts(organization, notices, now) if people is None else ()
    deliveries = [*letters, *posts]
    send_soon(organization=organization, deliveries=deliveries)
    return list(notices)


def send_soon(*, organization: Organization, deliveries: Sequence[Delivery]) -> None:
    """Write deliveries and ask for the turns that send them, once they are committed."""
    Delivery.objects.bulk_create(deliveries)
    channels = {Channel(each.channel) for each in deliveries}
    wakeups.ask_on_commit(organization_id=organization.pk, channels=channels)


def recipients_of(*, organization: Organization) -> list[Recipient]:
    """Return the members who can be written to. Needs the scope."""
    chosen = {row.user_id: row for row in Subscription.objects.for_organization(organization)}
    members = Membership.objects.for_organization(organization).select_related("user")
    return [
        Recipient(
            user=member.user,
            wish=wish_of_subscription(chosen[member.user_id])
            if member.user_id in chosen
            else wish_of_role(member.role),
        )
        for member in members.filter(REACHABLE).order_by("user_id")
    ]


def admins_of(*, organization: Organization) -> list[User]:
    """Return the admins who can be written to. Needs the scope."""
    members = Membership.objects.for_organization(organization).filter(role=MemberRole.ADMIN)
    reachable = members.filter(REACHABLE).select_related("user").order_by("user_id")
    return [member.user for member in reachable]


def delivery(
    *,
    notice: Notification,
    channel: Channel,
    due: datetime,
    now: datetime,
    user: User | None = None,
) -> Delivery:
    """Return a delivery that is not written yet."""
    return Delivery(
        organization_id=notice.organization_id,
        public_id=f"msg_{secrets.token_hex(12)}",
        notice=notice,
        channel=channel,
        user=user,
        due_at=due,
        waits_since=due,
        created_at=now,
    )


def _letters(
    organization: Organization, notices: Sequence[Notification], now: datetime
) -> Iterator[Delivery]:
    """Yield one letter for each person: of several kinds of news the most telling one."""
    if not settings.PORTAL_SMTP:
        return
    clusters = _clusters_of(organization)
    for recipient in recipients_of(organization=organization):
        wish = recipient.wish.within(clusters=clusters)
        chosen = wanted(wish=wish, notices=notices)
        if not chosen:
            continue
        is_urgent = wakes(wish=wish, notices=chosen)
        due = due_at(pace=wish.pace, wakes=is_urgent, now=now)
        letter = delivery(
            notice=chosen[0], channel=Channel.EMAIL, due=due, now=now, user=recipient.user
        )
        letter.wakes = is_urgent
        yield letter


def _posts(
    organization: Organization, notices: Sequence[Notification], now: datetime
) -> Iterator[Delivery]:
    webhook = Webhook.objects.for_organization(organization).filter(is_enabled=True).first()
    if webhook is None:
        return
    wish = wish_of_webhook(webhook).within(clusters=_clusters_of(organization))
    chosen = wanted(wish=wish, notices=notices)
    for notice in (each for each in notices if each in chosen):
        yield delivery(notice=notice, channel=Channel.WEBHOOK, due=now, now=now)


def _clusters_of(organization: Organization) -> frozenset[int]:
    return frozenset(clusters_with(organization=organization).values_list("pk", flat=True))
