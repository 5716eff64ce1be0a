"""What was refused of what a scheduler told: how many, and why the last, for its sender's eyes.

A hint for people, not a record: it lies in the cache, ends two weeks after the last refusal, and a
cache that is away costs the hint alone.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.core.cache import cache
from django.utils.dateparse import parse_datetime
from redis.exceptions import RedisError

from apps.tenancy.access import Actor, Right

logger = logging.getLogger(__name__)
KEPT: Final = timedelta(days=14)
WHY_LENGTH: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedReports:
    """How many events were refused, and what was wrong with the last one."""

    count: int
    why: str
    at: datetime


def note_refused(*, organization_id: int, count: int, why: str, now: datetime) -> None:
    """Count events of a sender that were refused. What is counted is lost without a cache."""
    key = _key(organization_id)
    try:
        cache.add(f"{key}/count", 0)
        cache.incr(f"{key}/count", count)
        cache.touch(f"{key}/count", KEPT.total_seconds())
        last = [why[:WHY_LENGTH], now.isoformat()]
        cache.set(f"{key}/last", last, KEPT.total_seconds())
    except (RedisError, OSError, ValueError):  # the last: it ended between two of these
        logger.warning("cache.away", extra={"organization": organization_id})


def refused_of(*, actor: Actor) -> RefusedReports | None:
    """Return what was refused of what the actor's organization told lately; None: nothing."""
    actor.require(Right.READ)
    key = _key(actor.organization.pk)
    try:
        said = cache.get_many([f"{key}/count", f"{key}/last"])
    except (RedisError, OSError):
        return None
    return _read(count=said.get(f"{key}/count"), last=said.get(f"{key}/last"))


def _read(*, count: object, last: object) -> RefusedReports | None:
    match (count, last):
        case (int(), [str(why), str(told)]):
            at = parse_datetime(told)
            return RefusedReports(count=count, why=why, at=at) if at and at.tzinfo else None
    return None


def _key(organization_id: int) -> str:
    return f"told-refused/{organization_id}"
