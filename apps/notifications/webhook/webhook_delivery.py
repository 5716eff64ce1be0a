"""A turn of an organization's webhook: signed messages, one after another, a few seconds.

A message that was taken and not marked, because its worker died, is sent once more under the same
webhook-id: receivers drop what they have seen.
"""

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import requests
from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError
from django.db.models import QuerySet

from apps.diagnosis.input_values import in_bounds, whole_number
from apps.diagnosis.model import statement
from apps.notifications.delivery import outbound_freeze, outbox
from apps.notifications.delivery.endpoint_health import note_failure, note_success
from apps.notifications.delivery.outbox import Outcome, SendingTurn
from apps.notifications.models import Delivery, Webhook
from apps.notifications.notification_kinds import Channel
from apps.notifications.payload import moment
from apps.notifications.webhook import signing
from apps.tenancy.credentials import SealBroken, unseal
from apps.tenancy.outbound.guarded_http import GuardedSession, failure_of
from apps.tenancy.outbound.policy import OutboundRefused, Policy, policy_for
from apps.tenancy.outbound.refusal_audit import note_refusal
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.leases import Lease

logger = logging.getLogger(__name__)

TURN_SECONDS: Final = 10.0
CONNECT_SECONDS: Final = 3.0
READ_SECONDS: Final = 10.0
LEASE: Final = Lease(lasts=timedelta(seconds=60), due="rests_until")
LONGEST_WISH: Final = timedelta(days=1)  # of a Retry-After
# What a receiver says of the message and not of itself; all else may pass, or be put right.
OF_THE_MESSAGE: Final = frozenset({400, 405, 406, 411, 413, 414, 415, 422, 431})
GONE: Final = 410


def is_due(*, organization_id: int, now: datetime) -> bool:
    """Say whether the webhook has something to send and may. Opens the scope."""
    with organization_scope(organization_id):
        due = outbox.waiting(organization_id=organization_id, channel=Channel.WEBHOOK, now=now)
        return due.exists() and _able(organization_id).filter(LEASE.ready(now=now)).exists()


def take_turn(
    *, organization_id: int, clock: Callable[[], float], now: Callable[[], datetime]
) -> SendingTurn:
    """Send what waits, oldest first, until the first failure of the address or the time is over."""
    if outbound_freeze.said():
        return SendingTurn()
    webhook = _claim(organization_id=organization_id, now=now())
    if webhook is None:
        return SendingTurn()
    ends_at, sent, failed = clock() + TURN_SECONDS, 0, 0
    try:
        while clock() < ends_at:
            message = _next(organization_id=organization_id, now=now())
            if message is None:
                return SendingTurn(sent_count=sent, failed_count=failed)
            # The network: no scope and no transaction is open here.
            outcome = _post(webhook=webhook, message=message, clock=clock, now=now())
            _note(webhook=webhook, message=message, outcome=outcome, now=now())
            sent, failed = sent + outcome.is_success, failed + (not outcome.is_success)
            if outcome.is_away:
                return SendingTurn(sent_count=sent, failed_count=failed)
    finally:
        with organization_scope(organization_id):
            _own(organization_id).update(**LEASE.let_go)
    return SendingTurn(sent_count=sent, failed_count=failed, is_more=True)


def _own(organization_id: int) -> QuerySet[Webhook]:
    return Webhook.objects.for_organization(organization_id)


def _able(organization_id: int) -> QuerySet[Webhook]:
    return _own(organization_id).filter(is_enabled=True, pause__isnull=True)


def _claim(*, organization_id: int, now: datetime) -> Webhook | None:
    with organization_scope(organization_id):
        if not LEASE.take(_able(organization_id), now=now):
            return None
        return _own(organization_id).select_related("organization").get()


def _next(*, organization_id: int, now: datetime) -> Delivery | None:
    with organization_scope(organization_id):
        while (message := outbox.claim_post(organization_id=organization_id, now=now)) is not None:
            if not outbox.unwanted(deliveries=[message]):
                return message
            outbox.drop(deliveries=[message], reason=statement("no-party-now"), now=now)
    return None


def _post(
    *, webhook: Webhook, message: Delivery, clock: Callable[[], float], now: datetime
) -> Outcome:
    body = body_of(message)
    policy = policy_for(allowed_networks=webhook.allowed_networks)
    began = clock()
    try:
        headers = signing.headers_of(
            message_id=message.public_id, at=now, body=body, signed_with=secrets_of(webhook, now)
        )
        answer = _send(webhook=webhook, policy=policy, body=body, headers=headers)
    except SealBroken as error:
        return Outcome(is_success=False, failure=statement("text", text=str(error)), is_away=True)
    except (OutboundRefused, requests.RequestException, OSError, ValueError) as error:
        told = failure_of(error=error, policy=policy, seconds=READ_SECONDS)
        # How long it took would tell what is there and what isn't.
        seconds = 0.0 if policy.is_discreet else clock() - began
        return Outcome(is_success=False, failure=told, is_away=True, seconds=seconds, cause=error)
    except SoftTimeLimitExceeded:
        # One that trickles its answer would else be asked again and again, and never rest.
        told = statement("answer-too-slow")
        return Outcome(is_success=False, failure=told, is_away=True, seconds=clock() - began)
    except (OperationalError, InterfaceError):
        raise
    except Exception as error:  # noqa: BLE001  what is wrong with one message stops no other
        return outbox.unmade(deliveries=[message], error=error)
    return _judged(answer, now=now, seconds=clock() - began)


def body_of(message: Delivery) -> bytes:
    """Return the payload of a message: the same bytes whenever it is sent."""
    notice = message.notice
    told = {
        "type": notice.kind,
        "timestamp": moment(notice.created_at),
        "data": {
            "organization": message.organization.slug,
            "notice": notice.public_id,
            "simulated": notice.is_simulated,
            **notice.body,
        },
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()


def secrets_of(webhook: Webhook, now: datetime) -> list[str]:
    """Return the secrets that sign now: for a while after a rotation the former one, too."""
    kept = [unseal(sealed=webhook.secret)]
    if webhook.former_secret and webhook.former_until and webhook.former_until > now:
        kept.append(unseal(sealed=webhook.former_secret))
    return kept


def _send(
    *, webhook: Webhook, policy: Policy, body: bytes, headers: dict[str, str]
) -> requests.Response:
    session = GuardedSession(url=webhook.url, policy=policy, retried=())
    try:
        # Nobody reads what it answers: the status is all that counts.
        answer = session.post(
            webhook.url,
            data=body,
            headers={**headers, "Content-Type": "application/json", "User-Agent": "Faultline/1"},
            timeout=(CONNECT_SECONDS, READ_SECONDS),
            stream=True,
        )
        answer.close()
        return answer
    finally:
        session.close()


def _judged(answer: requests.Response, *, now: datetime, seconds: float) -> Outcome:
    status = answer.status_code
    if 200 <= status < 300:
        return Outcome(is_success=True, status=status, seconds=seconds)
    told = statement("text", text=_plain(answer.reason or "")[:100])
    return Outcome(
        is_success=False,
        status=status,
        failure=statement("redirect-not-followed") if 300 <= status < 400 else told,
        is_away=status not in OF_THE_MESSAGE,
        not_before=_wish(answer.headers.get("Retry-After", ""), now=now),
        seconds=seconds,
    )


def _plain(said: str) -> str:
    """Return what a receiver says in one line, as far as it can be kept."""
    return " ".join("".join(c if c.isprintable() else " " for c in said).split())


def _wish(text: str, *, now: datetime) -> datetime | None:
    """Return when the receiver wants to be asked again, within a day."""
    try:
        seconds = whole_number(text)
        at = parsedate_to_datetime(text) if seconds is None else now + timedelta(seconds=seconds)
    except (ValueError, OverflowError):
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return min(in_bounds(at) or now, now + LONGEST_WISH)


def _note(*, webhook: Webhook, message: Delivery, outcome: Outcome, now: datetime) -> None:
    with organization_scope(webhook.organization_id):
        outbox.note(deliveries=[message], outcome=outcome, now=now)
        note_refusal(
            error=outcome.cause,
            organization_id=webhook.organization_id,
            subject="webhook",
            now=now,
        )
        if outcome.is_away:
            note_failure(webhook=webhook, outcome=outcome, is_gone=outcome.status == GONE, now=now)
        elif outcome.is_success:
            note_success(webhook=webhook, now=now)
    if not outcome.is_success:
        logger.warning(
            "webhook.failed",
            extra={"organization": webhook.organization_id, "status": outcome.status},
        )
