"""Telling workers that submissions wait: at most one hint of an organization is in the queue."""

import logging
from functools import partial
from typing import Final

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

DRAIN: Final = "telemetry.carry_out"
# A hint that got lost blocks the next ones no longer than this.
QUEUED_SECONDS: Final = 15


def on_commit(*, organization_id: int) -> None:
    """Ask for a turn of the organization once its submissions are durable."""
    transaction.on_commit(partial(send, organization_id=organization_id))


def send(*, organization_id: int) -> None:
    """Queue a turn unless one is queued. Without a broker the sweeper finds the rows."""
    try:
        if cache.add(_key(organization_id), 1, timeout=QUEUED_SECONDS):
            current_app.send_task(
                DRAIN, kwargs={"organization_id": organization_id}, queue="ingest", retry=False
            )
    except (OperationalError, RedisError, OSError):
        logger.warning("broker.away", extra={"organization": organization_id})


def take(*, organization_id: int) -> None:
    """Note that the queued turn begins: what comes from now on asks for another."""
    try:
        cache.delete(_key(organization_id))
    except (RedisError, OSError):
        logger.warning("broker.away", extra={"organization": organization_id})


def _key(organization_id: int) -> str:
    return f"submissions:{organization_id}"
