"""What rests for a while before it is done again. Kept in the cache: without one nobody rests."""

import logging
from collections.abc import Collection
from datetime import timedelta

from django.core.cache import cache

from apps.tenancy.work.leases import pause_after
from apps.tenancy.work.task_requests import AWAY

logger = logging.getLogger(__name__)


def rest(name: str, *, seconds: int) -> None:
    """Let something rest from now on."""
    try:
        cache.set(_rest(name), 1, timeout=seconds)
    except AWAY:
        logger.warning("broker.away", extra={"resting": name})


def resting(names: Collection[str]) -> set[str]:
    """Return those that rest."""
    try:
        found = cache.get_many([_rest(each) for each in names])
    except AWAY:
        return set()
    return {each for each in names if _rest(each) in found}


def rest_longer(name: str, *, first: timedelta, longest: timedelta) -> None:
    """Let something rest that failed: twice as long each time it fails in a row."""
    try:
        failures = _count(cache.get(_failures(name))) + 1
        # Forgotten where it was not tried for long.
        cache.set(_failures(name), failures, timeout=4 * longest.total_seconds())
    except AWAY:
        logger.warning("broker.away", extra={"resting": name})
        return
    pause = pause_after(failures=failures, first=first, longest=longest)
    rest(name, seconds=int(pause.total_seconds()))


def forget_failures(name: str) -> None:
    """Note that it went well."""
    try:
        cache.delete(_failures(name))
    except AWAY:
        logger.warning("broker.away", extra={"resting": name})


def _count(kept: object) -> int:
    return max(kept, 0) if isinstance(kept, int) else 0  # whatever lies there


def _rest(name: str) -> str:
    return f"rests:{name}"


def _failures(name: str) -> str:
    return f"failures:{name}"
