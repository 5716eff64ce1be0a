"""How many of the worker's processes one kind of work, or one organization's, may hold at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings
from django.core.cache import cache

from apps.tenancy.asking import AWAY

# As long as the longest hard limit of a task that holds one; then it belongs to nobody.
LEASE_SECONDS: Final = 120


def of_one() -> int:
    """Return how many processes one organization's work of a kind may hold: half of them."""
    return max(1, settings.PORTAL_ALL_WORKER_PROCESSES // 2)


def of_network() -> int:
    """Return how many may wait for servers elsewhere: all but one."""
    return max(1, settings.PORTAL_ALL_WORKER_PROCESSES - 1)


@contextmanager
def network() -> Iterator[bool]:
    """Say whether one more process may wait for a server elsewhere, and hold that."""
    held = next((key for key in _keys() if _take(key)), None)
    try:
        yield held is not None
    finally:
        if held is not None:
            _give_back(held)


def _keys() -> list[str]:
    return [f"network:{number}" for number in range(of_network())]


def _take(key: str) -> bool:
    try:
        return bool(cache.add(key, 1, timeout=LEASE_SECONDS))
    except AWAY:
        return True  # who asks too much is found by its limits


def _give_back(key: str) -> None:
    try:
        cache.delete(key)
    except AWAY:
        return  # the lease runs out
