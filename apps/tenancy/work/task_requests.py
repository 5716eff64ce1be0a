"""Asking workers for a turn, once: whoever asks a thousand times has one place in the queue.

The broker is a hint, the rows are the record: without one a sweeper finds what waits.
"""

import logging
from functools import partial
from typing import Final

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

# An ask that got lost blocks the next ones no longer than this.
QUEUED_SECONDS: Final = 15
AWAY: Final = (OperationalError, RedisError, OSError)


def ask_on_commit(
    task: str,
    *,
    queue: str,
    organization_id: int = 0,
    wait: float = 0,
    expires: float | None = None,
) -> None:
    """Ask for a turn once what waits is durable."""
    asks = partial(
        ask, task, queue=queue, organization_id=organization_id, wait=wait, expires=expires
    )
    transaction.on_commit(asks)


def ask(
    task: str,
    *,
    queue: str,
    organization_id: int = 0,
    wait: float = 0,
    expires: float | None = None,
) -> None:
    """Queue a turn of an organization, or of nobody's, unless one is queued."""
    named = {"organization_id": organization_id} if organization_id else {}
    try:
        if cache.add(_key(task, organization_id), 1, timeout=QUEUED_SECONDS + int(wait)):
            current_app.send_task(
                task,
                kwargs=named,
                queue=queue,
                countdown=wait or None,
                expires=expires,
                retry=False,
            )
    except AWAY:
        logger.warning("broker.away", extra={"organization": organization_id})


def begin(task: str, *, organization_id: int = 0) -> None:
    """Note that the queued turn begins: what comes from now on asks for another."""
    try:
        cache.delete(_key(task, organization_id))
    except AWAY:
        logger.warning("broker.away", extra={"organization": organization_id})


def _key(task: str, organization_id: int) -> str:
    return f"asked:{task}:{organization_id}"
