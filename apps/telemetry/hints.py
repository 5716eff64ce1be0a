"""Telling workers that batches wait. The broker is a hint, the rows are the record."""

import logging
from functools import partial

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)

DRAIN = "telemetry.drain_organization"


def on_commit(*, organization_id: int) -> None:
    """Ask for a turn of the organization once its batches are durable."""
    transaction.on_commit(partial(_send, organization_id))


def _send(organization_id: int) -> None:
    """Send a hint; without a broker the sweeper finds the rows."""
    try:
        current_app.send_task(
            DRAIN, kwargs={"organization_id": organization_id}, queue="ingest", retry=False
        )
    except (OperationalError, OSError):
        logger.warning("broker.away", extra={"organization": organization_id})
