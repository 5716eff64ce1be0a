"""Asking workers for the turns that send. The broker is a hint, the rows are the record."""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import partial

from celery import current_app
from django.core.cache import cache
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from apps.notifications.notification_kinds import Channel

logger = logging.getLogger(__name__)

MAIL = "notifications.send_mail"
POST = "notifications.post"
# Longer than the hard limit of the task that holds it.
LEASE_SECONDS = 75
FIRST_REST_SECONDS = 30
LONGEST_REST_SECONDS = 300
MOST_COUNTED = 10  # failures in a row; the longest rest is reached before
_AWAY = (OperationalError, RedisError, OSError)


def ask(*, organization_id: int, channels: Collection[Channel]) -> None:
    """Queue a turn for each channel. Without a broker the sweeper finds the rows."""
    try:
        if Channel.EMAIL in channels:
            _send(MAIL, {})
        if Channel.WEBHOOK in channels:
            _send(POST, {"organization_id": organization_id})
    except _AWAY:
        logger.warning("broker.away", extra={"organization": organization_id})


def ask_on_commit(*, organization_id: int, channels: Collection[Channel]) -> None:
    """Queue a turn for each channel once what waits is durable."""
    transaction.on_commit(
        partial(ask, organization_id=organization_id, channels=frozenset(channels))
    )


@contextmanager
def only_one(name: str) -> Iterator[bool]:
    """Say whether this is the only turn of its name that runs now, and hold that."""
    try:
        is_mine = bool(cache.add(_lease(name), 1, timeout=LEASE_SECONDS))
    except _AWAY:
        is_mine = False
    try:
        yield is_mine
    finally:
        if is_mine:
            _forget(_lease(name))


def rest(*, name: str) -> None:
    """Let nobody begin a turn of this name for a while, longer each time it is said in a row."""
    try:
        former = _count(cache.get(_failures(name)))
        pause = min(FIRST_REST_SECONDS * 2**former, LONGEST_REST_SECONDS)
        cache.set(_failures(name), former + 1, timeout=4 * LONGEST_REST_SECONDS)
        cache.set(_rest(name), 1, timeout=pause)
    except _AWAY:
        logger.warning("broker.away", extra={"turn": name})


def rested(*, name: str) -> None:
    """Note that a turn of this name went well."""
    _forget(_failures(name))


def rests(*, name: str) -> bool:
    """Say whether turns of this name rest."""
    try:
        return cache.get(_rest(name)) is not None
    except _AWAY:
        return False


def _count(kept: object) -> int:
    # Whatever lies there: two to its power is worked out.
    return min(max(kept, 0), MOST_COUNTED) if isinstance(kept, int) else 0


def _send(name: str, values: dict[str, int]) -> None:
    # Whoever sweeps asks again: a turn that nobody took by then is not needed.
    current_app.send_task(name, kwargs=values, queue="default", retry=False, expires=30)


def _forget(key: str) -> None:
    try:
        cache.delete(key)
    except _AWAY:
        logger.warning("broker.away", extra={"key": key})


def _lease(name: str) -> str:
    return f"notices:turn:{name}"


def _rest(name: str) -> str:
    return f"notices:rest:{name}"


def _failures(name: str) -> str:
    return f"notices:failures:{name}"
