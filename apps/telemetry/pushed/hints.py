"""Telling workers that pushed metrics wait. The broker is a hint, the rows are the record."""

import logging
from functools import partial
from typing import Final

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

DRAIN: Final = "telemetry.drain_pushed"
FORWARD: Final = "telemetry.forward_pushed"
# A hint that got lost blocks the next ones no longer than this.
QUEUED_SECONDS: Final = 15
# Samples come in small bodies: a moment's worth of them is put into the window at once.
GATHER_SECONDS: Final = 2


def on_commit(*, organization_id: int) -> None:
    """Ask for a turn of the organization once its bodies are durable."""
    transaction.on_commit(partial(send, organization_id=organization_id, wait=GATHER_SECONDS))


def send(*, organization_id: int, task: str = DRAIN, wait: int = 0) -> None:
    """Queue a turn unless one is queued. Without a broker the sweeper finds the rows."""
    try:
        if cache.add(_key(task, organization_id), 1, timeout=QUEUED_SECONDS):
            current_app.send_task(
                task,
                kwargs={"organization_id": organization_id},
                queue="ingest",
                countdown=wait or None,
                retry=False,
            )
    except (OperationalError, RedisError, OSError):
        logger.warning("broker.away", extra={"organization": organization_id})


def take(*, organization_id: int, task: str = DRAIN) -> None:
    """Note that the queued turn begins: what comes from now on asks for another."""
    try:
        cache.delete(_key(task, organization_id))
    except (RedisError, OSError):
        logger.warning("broker.away", extra={"organization": organization_id})


def _key(task: str, organization_id: int) -> str:
    return f"{task}:{organization_id}"
