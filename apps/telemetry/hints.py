"""Telling workers that batches wait. The broker is a hint, the rows are the record.

At most one hint of an organization is in the queue: whoever floods gets one place in the line,
like everybody else, and a turn that isn't enough goes to its end.
"""

import logging
from functools import partial

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

DRAIN = "telemetry.drain_organization"
# A hint that got lost blocks the next ones no longer than this.
QUEUED_SECONDS = 15


def on_commit(*, organization_id: int) -> None:
    """Ask for a turn of the organization once its batches are durable."""
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
    return f"drain:{organization_id}"
