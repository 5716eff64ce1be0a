"""Celery doors of being told: open, call one function, ask for what follows."""

import logging
from collections.abc import Callable
from datetime import timedelta
from time import monotonic
from typing import Final, TypeVar

from celery import shared_task
from django.db import OperationalError
from django.utils import timezone

from apps.notifications import retention as retiring
from apps.notifications import wakeups
from apps.notifications.delivery import outbound_freeze
from apps.notifications.email.email_delivery import NEWS
from apps.notifications.email.link_mailing import LINKS
from apps.notifications.notification_kinds import Channel
from apps.notifications.occasions import incident_changes as looking
from apps.notifications.silence import silence_detection
from apps.notifications.wakeups import MAIL, POST
from apps.notifications.webhook import webhook_delivery
from apps.tenancy.work import cooldowns, failed_work, worker_shares
from apps.tenancy.work.task_requests import ask, begin

Result = TypeVar("Result")
logger = logging.getLogger(__name__)

LOOK: Final = "notifications.look"
# Longer than the hard limit of the task that holds it.
MAIL_SECONDS: Final = 75
# Of a mail server that is away.
FIRST_REST: Final = timedelta(seconds=30)
LONGEST_REST: Final = timedelta(minutes=5)


@shared_task(
    name=LOOK, queue="correlate", soft_time_limit=50, time_limit=60,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def look(*, organization_id: int) -> None:
    """Find what an organization has not been told yet."""
    begin(LOOK, organization_id=organization_id)
    made = _guarded("news", organization_id, looking.look)
    if made:
        logger.info("notices.made", extra={"organization": organization_id, "count": len(made)})


@shared_task(
    name=MAIL, queue="default", soft_time_limit=60, time_limit=70,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def send_mail() -> None:
    """Send letters that are due, for one turn; never two turns at once."""
    begin(MAIL)
    if cooldowns.resting([MAIL]) or outbound_freeze.said():
        return
    with worker_shares.only_one(MAIL, seconds=MAIL_SECONDS) as is_mine:
        if not is_mine:
            return
        # E-mails that somebody waits for at a screen go first; they are few.
        turns = [each.take_turn(clock=monotonic, now=timezone.now) for each in (LINKS, NEWS)]
        if any(turn.is_server_away for turn in turns):
            # It holds no worker more often than it must, and comes back by itself.
            cooldowns.rest_longer(MAIL, first=FIRST_REST, longest=LONGEST_REST)
        elif any(turn.sent_count for turn in turns):
            cooldowns.forget_failures(MAIL)
    if any(turn.is_more for turn in turns):
        wakeups.ask(organization_id=0, channels={Channel.EMAIL})
    sent = sum(turn.sent_count for turn in turns)
    failed = sum(turn.failed_count for turn in turns)
    if sent or failed:
        logger.info("letters.sent", extra={"count": sent, "failed": failed})


@shared_task(
    name=POST, queue="default", soft_time_limit=45, time_limit=55,
    autoretry_for=(OperationalError,), retry_backoff=True, max_retries=3,
)  # fmt: skip
def post(*, organization_id: int) -> None:
    """Send what waits for one organization's webhook, for one turn."""
    begin(POST, organization_id=organization_id)
    with worker_shares.network() as may_wait:
        if not may_wait:
            return  # the sweep asks again
        turn = webhook_delivery.take_turn(
            organization_id=organization_id, clock=monotonic, now=timezone.now
        )
    if turn.is_more:
        wakeups.ask(organization_id=organization_id, channels={Channel.WEBHOOK})


@shared_task(name="notifications.listen", queue="correlate", soft_time_limit=20, time_limit=30)
def listen() -> None:
    """Enqueue, for each organization, a look at who is heard: none waits for another one's."""
    failed_work.send_to_each(listen_to, expires=60)


@shared_task(name="notifications.listen_to", queue="correlate", soft_time_limit=50, time_limit=55)
def listen_to(*, organization_id: int) -> None:
    """Find which sources of an organization fell silent, or are heard again."""
    _guarded("silence", organization_id, silence_detection.listen)


@shared_task(name="notifications.retire", queue="default", soft_time_limit=20, time_limit=30)
def retire() -> None:
    """Enqueue, for each organization, the end of what it was told long ago."""
    failed_work.send_to_each(retire_of, expires=3600)


@shared_task(name="notifications.retire_of", queue="default", soft_time_limit=110, time_limit=120)
def retire_of(*, organization_id: int) -> None:
    """Drop what an organization was told long ago."""
    _guarded("old-news", organization_id, retiring.retire)


def _guarded(kind: str, organization_id: int, work: Callable[..., Result]) -> Result | None:
    now = timezone.now()
    unit = failed_work.of_organization(kind, organization_id)
    return failed_work.attempt(
        unit=unit, now=now, work=lambda: work(organization_id=organization_id, now=now)
    )


@shared_task(name="notifications.sweep", queue="correlate", soft_time_limit=20, time_limit=30)
def sweep() -> None:
    """Find news, letters and messages that no wake-up told of."""
    now = timezone.now()

    def find(organization_id: int) -> None:
        if looking.has_news(organization_id=organization_id, now=now):
            ask(LOOK, queue="correlate", organization_id=organization_id)
        if webhook_delivery.is_due(organization_id=organization_id, now=now):
            wakeups.ask(organization_id=organization_id, channels={Channel.WEBHOOK})

    failed_work.each_organization(find)
    if any(each.is_due(now) for each in (LINKS, NEWS)):
        wakeups.ask(organization_id=0, channels={Channel.EMAIL})
