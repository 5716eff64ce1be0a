"""Deliveries that wait: claim them, note how a try went, say when the next one is."""

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet

from apps.diagnosis.model import Statement, statement, statement_json
from apps.incidents.facade.changes import party_of
from apps.notifications.models import Delivery, DeliveryAttempt
from apps.notifications.notification_kinds import Channel, DeliveryState
from apps.tenancy.work import failed_work
from apps.tenancy.work.leases import Lease
from apps.wording import in_english

logger = logging.getLogger(__name__)

# Longer than the hard limit of the task that holds it: a worker that died lets go after it.
LEASE = Lease(lasts=timedelta(seconds=90), due="due_at", attempts="attempt_count")
# Of a message that is refused, while others are taken: three days in all.
PAUSES = (
    *(timedelta(seconds=5), timedelta(seconds=30), timedelta(minutes=2), timedelta(minutes=10)),
    *(timedelta(minutes=30), timedelta(hours=1), timedelta(hours=2), timedelta(hours=4)),
    *(timedelta(hours=6), timedelta(hours=8), timedelta(hours=12), timedelta(hours=12)),
    timedelta(hours=24),
)
REFUSED_FOR = sum(PAUSES, timedelta())
# While nobody takes anything: who is back after a day is not left waiting for another one.
LONGEST_PAUSE = timedelta(minutes=15)
GIVEN_UP_AFTER = timedelta(days=3)
ONE_LETTER_HOLDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a try went. `is_final`: trying again can't help. `is_away`: nothing else was taken."""

    is_success: bool
    status: int | None = None
    failure: Statement | None = None  # why not
    is_final: bool = False
    is_away: bool = False
    not_before: datetime | None = None  # what the other side asked for
    seconds: float = 0.0
    cause: Exception | None = None

    @property
    def error(self) -> str:
        """Why not, in English."""
        return in_english(self.failure) if self.failure else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SendingTurn:
    """What a turn of sending did."""

    sent_count: int = 0
    failed_count: int = 0
    is_more: bool = False
    is_server_away: bool = False


def waiting(*, organization_id: int, channel: Channel, now: datetime) -> QuerySet[Delivery]:
    """Return the deliveries that are due and that nobody holds. Needs the scope."""
    own = Delivery.objects.for_organization(organization_id)
    due = own.filter(LEASE.ready(now=now), state=DeliveryState.WAITING, channel=channel)
    return due.order_by("due_at", "id")


def claim_post(*, organization_id: int, now: datetime) -> Delivery | None:
    """Lease the next message for the webhook. Needs the scope."""
    rows = waiting(organization_id=organization_id, channel=Channel.WEBHOOK, now=now)
    first = rows.select_for_update(skip_locked=True).values_list("id", flat=True).first()
    return _lease([first], now=now)[0] if first is not None else None


def claim_letter(*, organization_id: int, now: datetime) -> list[Delivery]:
    """Lease what goes to one person as one letter, oldest first. Needs the scope.

    What was claimed together and not marked, because its worker died, goes together again: it
    carries the same Message-ID, whether or not it was sent.
    """
    rows = waiting(organization_id=organization_id, channel=Channel.EMAIL, now=now)
    first = rows.select_for_update(skip_locked=True).first()
    if first is None:
        return []
    own = Delivery.objects.for_organization(organization_id).filter(
        state=DeliveryState.WAITING, channel=Channel.EMAIL, user=first.user_id, parcel=first.parcel
    )
    # What failed before was due then: it goes along instead of waiting for its own turn.
    due = own if first.parcel else own.filter(Q(due_at__lte=now) | Q(attempt_count__gt=0))
    taken = due.select_for_update(skip_locked=True).order_by("created_at", "id")
    ids = list(taken.values_list("id", flat=True)[:ONE_LETTER_HOLDS])
    return _lease(ids, now=now, parcel=first.parcel or secrets.token_hex(10))


def note(*, deliveries: Sequence[Delivery], outcome: Outcome, now: datetime) -> None:
    """Write down how a try of claimed deliveries went. Needs the scope."""
    tries = []
    for each in deliveries:
        each.claimed_until, each.parcel = None, each.parcel if outcome.is_success else ""
        next_at = None
        if outcome.is_success:
            each.state, each.sent_at = DeliveryState.SENT, now
        elif _is_over(each, outcome, now):
            each.state = DeliveryState.FAILED
        else:
            next_at = each.due_at = _next(each, outcome, now)
        tries.append(_try(each, outcome, now=now, next_at=next_at))
    Delivery.objects.bulk_update(
        deliveries, ["claimed_until", "parcel", "state", "sent_at", "due_at"]
    )
    DeliveryAttempt.objects.bulk_create(tries)


def unmade(*, deliveries: Sequence[Delivery], error: Exception) -> Outcome:
    """Return the outcome of messages that could not be made, given up after a few tries."""
    where = failed_work.place_of(error)
    logger.error("delivery.failed", extra={"deliveries": len(deliveries), "where": where})
    tries = min((each.attempt_count for each in deliveries), default=0)
    is_final = tries >= failed_work.ATTEMPT_LIMIT
    return Outcome(
        is_success=False, failure=statement("message-unmade", where=where), is_final=is_final
    )


def _is_over(delivery: Delivery, outcome: Outcome, now: datetime) -> bool:
    waited = now - delivery.waits_since
    if outcome.is_away:
        return waited > GIVEN_UP_AFTER
    # Tries while nobody was there count for little: a first refusal after them is a first one.
    return outcome.is_final or (delivery.attempt_count > len(PAUSES) and waited >= REFUSED_FOR)


def _next(delivery: Delivery, outcome: Outcome, now: datetime) -> datetime:
    pause = PAUSES[min(delivery.attempt_count, len(PAUSES)) - 1]
    planned = now + (min(pause, LONGEST_PAUSE) if outcome.is_away else pause)
    return max(planned, outcome.not_before or planned)


def drop(*, deliveries: Sequence[Delivery], reason: Statement, now: datetime) -> None:
    """Write down that nobody is to get these any more, and why. Needs the scope."""
    for each in deliveries:
        each.claimed_until, each.state = None, DeliveryState.DROPPED
    Delivery.objects.bulk_update(deliveries, ["claimed_until", "state"])
    told = Outcome(is_success=False, failure=reason)
    DeliveryAttempt.objects.bulk_create(
        _try(each, told, now=now, next_at=None) for each in deliveries
    )


def put_off(*, deliveries: Sequence[Delivery], until: datetime) -> None:
    """Let claimed deliveries wait, as if nobody had tried them. Needs the scope."""
    for each in deliveries:
        each.claimed_until, each.parcel, each.attempt_count = None, "", each.attempt_count - 1
        each.due_at = each.waits_since = until
    Delivery.objects.bulk_update(
        deliveries, ["claimed_until", "parcel", "attempt_count", "due_at", "waits_since"]
    )


def unwanted(*, deliveries: Sequence[Delivery]) -> list[Delivery]:
    """Return those about incidents that the organization is no party of any more. Needs scope.

    Who left the cluster is none, whatever waited for it.
    """
    ids = (each.notice.incident_id for each in deliveries)
    about = {each for each in ids if each is not None}
    organization_id = deliveries[0].organization_id if deliveries else 0
    known = party_of(organization_id=organization_id, ids=about)
    return [each for each in deliveries if each.notice.incident_id not in {None, *known}]


def again(*, deliveries: QuerySet[Delivery], now: datetime) -> int:
    """Let deliveries wait once more, from the first try on, under their former ids.

    One that is being sent right now is left to who sends it: it would go twice.
    """
    return deliveries.filter(LEASE.free(now=now)).update(
        state=DeliveryState.WAITING,
        due_at=now,
        waits_since=now,
        attempt_count=0,
        **LEASE.let_go,
        parcel="",
    )


def hurry(*, organization_id: int, channel: Channel, now: datetime) -> None:
    """Bring forward what failed while the other side was away. Needs the scope."""
    own = Delivery.objects.for_organization(organization_id)
    failed = own.filter(state=DeliveryState.WAITING, channel=channel, attempt_count__gt=0)
    failed.filter(due_at__gt=now).update(due_at=now)


def _lease(ids: Sequence[int], *, now: datetime, parcel: str = "") -> list[Delivery]:
    rows = Delivery.objects.filter(id__in=ids)
    LEASE.hold(rows, now=now, parcel=parcel)
    found = rows.select_related("notice", "user", "organization").order_by("created_at", "id")
    return list(found)


def _try(
    delivery: Delivery, outcome: Outcome, *, now: datetime, next_at: datetime | None
) -> DeliveryAttempt:
    return DeliveryAttempt(
        organization_id=delivery.organization_id,
        delivery=delivery,
        at=now,
        status=outcome.status,
        is_success=outcome.is_success,
        failure=statement_json(outcome.failure) if outcome.failure else None,
        seconds=round(outcome.seconds, 2),
        next_at=next_at,
    )
