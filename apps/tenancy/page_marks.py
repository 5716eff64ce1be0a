"""Open pages learn that something changed: a mark in the cache for each reading organization.

A hint without content: who sees its own mark change reads again, through the door.
"""

import logging
import secrets
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Final

from django.core.cache import cache
from django.db import transaction
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

# Pages look every fraction of a second; who looks later reads everything anyway.
MARK_SECONDS: Final = 600


def organization_key(organization_id: int) -> str:
    """Return where the mark is of what concerns an organization on all of its pages."""
    return f"live:organization:{organization_id}"


def announce(keys: Collection[str]) -> None:
    """Set these marks anew, once the change is durable."""
    if keys:
        transaction.on_commit(partial(_write, dict.fromkeys(keys, secrets.token_hex(8))))


def announce_to(organization_ids: Iterable[int]) -> None:
    """Let all open pages of these organizations look again, once the change is durable."""
    announce([organization_key(each) for each in sorted({*organization_ids})])


def marks(keys: Collection[str]) -> Mapping[str, str] | None:
    """Return the marks that there are; None while the cache is away."""
    try:
        return cache.get_many(keys)
    except (RedisError, OSError):
        return None


def _write(values: Mapping[str, str]) -> None:
    try:
        cache.set_many(dict(values), timeout=MARK_SECONDS)
    except (RedisError, OSError):
        logger.warning("cache.away")
