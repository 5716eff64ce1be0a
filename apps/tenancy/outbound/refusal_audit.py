"""Refused addresses in the audit record of whoever asked: once an hour for each asker and place."""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from django.core.cache import cache
from django.http import HttpRequest
from redis.exceptions import RedisError

from apps.tenancy.access import Actor
from apps.tenancy.audit.audit_log import AuditAction, record, record_act
from apps.tenancy.outbound.policy import OutboundRefused, met

logger = logging.getLogger(__name__)

ACTION: Final = "outbound.refused"
TOLD_EVERY_SECONDS: Final = 3600


@contextmanager
def watched(*, actor: Actor, request: HttpRequest, now: datetime) -> Iterator[None]:
    """Record that an actor's request named an address that is refused. Opens a scope at the end."""
    with met() as refusals:
        try:
            yield
        finally:  # also where an exception undid what the request wrote
            if refusals and _is_news(actor.organization.pk, f"{actor.label} {request.path}"):
                record_act(
                    actor=actor, action=ACTION, subject=request.path, request=request, now=now
                )


def note_refusal(
    *, error: BaseException | None, organization_id: int, subject: str, now: datetime
) -> None:
    """Record that a worker was refused what a source or webhook names; needs the scope.

    `error` is what failed, its cause a refusal or not.
    """
    found = (error, error and error.__cause__)
    if any(isinstance(each, OutboundRefused) for each in found) and _is_news(
        organization_id, subject
    ):
        act = AuditAction(action=ACTION, subject=subject, actor="portal")
        record(organization_id=organization_id, act=act, now=now)


def _is_news(organization_id: int, what: str) -> bool:
    """Say whether this was not told lately; without a cache everything is told."""
    digest = hashlib.sha256(what.encode()).hexdigest()[:24]
    try:
        return bool(cache.add(f"outbound/{organization_id}/{digest}", 1, TOLD_EVERY_SECONDS))
    except (RedisError, OSError):
        logger.warning("cache.away", extra={"organization": organization_id})
        return True
