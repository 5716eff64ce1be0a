"""A webhook that is not reached: it rests, its admins are told, and it is never dropped silently.

Told by e-mail after an hour, paused after five days, or at once where it says that it is gone.
"""

import secrets
from datetime import datetime, timedelta

from django.conf import settings

from apps.diagnosis.model import Statement, statement, statement_json, statement_of
from apps.notifications import fan_out
from apps.notifications.delivery import outbox
from apps.notifications.delivery.outbox import Outcome
from apps.notifications.models import Notification, Webhook
from apps.notifications.notification_kinds import Channel, NotificationKind
from apps.notifications.payload import news_body, page
from apps.tenancy.audit import audit_log
from apps.tenancy.audit.audit_log import AuditAction
from apps.tenancy.work.leases import pause_after

FIRST_REST = timedelta(seconds=5)
LONGEST_REST = timedelta(minutes=15)
TOLD_AFTER = timedelta(hours=1)
PAUSED_AFTER = timedelta(days=5)


def note_failure(*, webhook: Webhook, outcome: Outcome, is_gone: bool, now: datetime) -> None:
    """Let the address rest, longer each time; tell the admins when it lasts. Needs the scope."""
    webhook.failure_count += 1
    webhook.failing_since = webhook.failing_since or now
    webhook.failure = statement_json(_failure(outcome))
    rest = pause_after(failures=webhook.failure_count, first=FIRST_REST, longest=LONGEST_REST)
    webhook.rests_until = now + rest
    failing_for = now - webhook.failing_since
    if is_gone or failing_for >= PAUSED_AFTER:
        _pause(webhook, is_gone=is_gone, now=now)
    elif failing_for >= TOLD_AFTER and not webhook.told_failing:
        webhook.told_failing = True
        _tell(webhook, statement("webhook-failing", answer=_last(webhook)), now=now)
    _save(webhook)


def note_success(*, webhook: Webhook, now: datetime) -> None:
    """Forget the failures, and bring forward what waits because of them. Needs the scope."""
    was_failing = webhook.failing_since is not None
    webhook.failure_count, webhook.failing_since, webhook.failure = 0, None, None
    webhook.rests_until, webhook.told_failing, webhook.last_success_at = None, False, now
    _save(webhook)
    if was_failing:
        outbox.hurry(organization_id=webhook.organization_id, channel=Channel.WEBHOOK, now=now)


def _save(webhook: Webhook) -> None:
    # What an admin may have changed meanwhile stays as it is.
    webhook.save(
        update_fields=[
            *("failure_count", "failing_since", "failure", "rests_until", "told_failing"),
            *("last_success_at", "pause"),
        ]
    )


def _pause(webhook: Webhook, *, is_gone: bool, now: datetime) -> None:
    told = (
        statement("webhook-gone")
        if is_gone
        else statement("webhook-failed-long", answer=_last(webhook))
    )
    webhook.pause = statement_json(told)
    _tell(webhook, statement("webhook-paused", answer=_last(webhook)), now=now)
    act = AuditAction(action="webhook.paused", actor="portal")
    audit_log.record(organization_id=webhook.organization_id, act=act, now=now)


def _tell(webhook: Webhook, told: Statement, *, now: datetime) -> None:
    """Write to every admin who can be written to, whatever they chose to be told."""
    organization = webhook.organization
    notice = Notification.objects.create(
        organization=organization,
        public_id=f"NTC-{secrets.token_hex(6).upper()}",
        kind=NotificationKind.FAILING,
        subject="webhook",
        step=int(now.timestamp()),
        body=news_body(told=told, url=page("web:notifications", organization.slug)),
        created_at=now,
    )
    people = fan_out.admins_of(organization=organization) if settings.PORTAL_SMTP else []
    fan_out.send_soon(
        organization=organization,
        deliveries=[
            fan_out.delivery(notice=notice, channel=Channel.EMAIL, due=now, now=now, user=person)
            for person in people
        ],
    )


def _failure(outcome: Outcome) -> Statement:
    """Return how the address failed."""
    told = outcome.failure or statement("text", text="")
    return statement("answered", status=outcome.status, answer=told) if outcome.status else told


def _last(webhook: Webhook) -> Statement:
    return statement_of(webhook.failure or {})
