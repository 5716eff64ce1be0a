"""Open pages learn that annotations changed: a mark in the cache for each reading organization.

A hint without content: who sees its own mark change reads again, through the door. Organizations
that do not read an annotation have marks of their own, which it does not touch.
"""

import logging
import secrets
from collections.abc import Collection, Mapping
from functools import partial
from typing import Final

from django.core.cache import cache
from django.db import transaction
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)

# Pages look every fraction of a second; who looks later reads everything anyway.
MARK_SECONDS: Final = 600


def key_of(*, incident_id: int, organization_id: int) -> str:
    """Return where the mark of an organization on an incident is."""
    return f"live:annotations:{incident_id}:{organization_id}"


def announce(*, incident_id: int, readers: Collection[int]) -> None:
    """Let the open pages of these organizations know, once the change is durable."""
    mark = secrets.token_hex(8)
    keys = [key_of(incident_id=incident_id, organization_id=each) for each in readers]
    transaction.on_commit(partial(_write, dict.fromkeys(keys, mark)))


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
