"""How many of the worker's processes one kind of work, or one organization's, may hold at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings
from django.core.cache import cache

from apps.tenancy.work.task_requests import AWAY, ask, begin

# As long as the longest hard limit of a task that holds one; then it belongs to nobody.
LEASE_SECONDS: Final = 120
# A worker that died holds its organization's process no longer; who works longer gets one more.
OF_ONE_SECONDS: Final = 15
# Others are there as long as the processes changed between organizations in so many seconds.
THERE_SECONDS: Final = 10
LAST, CHANGED = "turns:last", "turns:changed"
# Who may not work just now asks again; a turn that wasn't enough waits longer, or an
# organization's work of one kind would keep its other kinds from theirs.
AGAIN_SECONDS: Final = 0.3
PAUSE_SECONDS: Final = 0.5


def of_one() -> int:
    """Return how many processes one organization's work of a kind may hold: half of them."""
    return max(1, settings.PORTAL_ALL_WORKER_PROCESSES // 2)


def of_network() -> int:
    """Return how many may wait for servers elsewhere: all but one."""
    return max(1, settings.PORTAL_ALL_WORKER_PROCESSES - 1)


def take_turn(task: str, *, queue: str, organization_id: int, work: Callable[[], bool]) -> None:
    """Do a turn of an organization's work where it may have a process, and ask for the next.

    `work` says whether there is more. Of all its kinds together: half of the processes are others'
    while others are there.
    """
    begin(task, organization_id=organization_id)
    with of_organization(organization_id) as may_work:
        is_more = may_work and work()
    if not may_work or is_more:
        wait = _pause(organization_id) if may_work else AGAIN_SECONDS
        ask(task, queue=queue, organization_id=organization_id, wait=wait)


@contextmanager
def of_organization(organization_id: int) -> Iterator[bool]:
    """Say whether one more process may work for an organization now, and hold that."""
    are_others_there = _are_others_there(organization_id)
    keys = [f"turn:{organization_id}:{number}" for number in range(of_one())]
    held = next((key for key in keys if _take(key, OF_ONE_SECONDS)), None)
    try:
        yield held is not None or not are_others_there
    finally:
        if held is not None:
            _give_back(held)


@contextmanager
def network() -> Iterator[bool]:
    """Say whether one more process may wait for a server elsewhere, and hold that."""
    keys = [f"network:{number}" for number in range(of_network())]
    held = next((key for key in keys if _take(key, LEASE_SECONDS)), None)
    try:
        yield held is not None
    finally:
        if held is not None:
            _give_back(held)


@contextmanager
def only_one(name: str, *, seconds: int) -> Iterator[bool]:
    """Say whether this is the only turn of its name that runs now, and hold that."""
    key = f"only:{name}"
    is_mine = _take(key, seconds, otherwise=False)
    try:
        yield is_mine
    finally:
        if is_mine:
            _give_back(key)


def _pause(organization_id: int) -> float:
    return PAUSE_SECONDS if _are_others_there(organization_id) else 0


def _are_others_there(organization_id: int) -> bool:
    """Say whether the workers had another organization's work lately, and note this one's."""
    try:
        seen = cache.get_many([LAST, CHANGED])
        has_changed = seen.get(LAST, organization_id) != organization_id
        cache.set(LAST, organization_id, timeout=THERE_SECONDS)
        if has_changed:
            cache.set(CHANGED, 1, timeout=THERE_SECONDS)
    except AWAY:
        return False  # without it nobody can say who works
    return has_changed or CHANGED in seen


def _take(key: str, seconds: int, *, otherwise: bool = True) -> bool:
    try:
        return bool(cache.add(key, 1, timeout=seconds))
    except AWAY:
        return otherwise  # who asks too much is found by its limits


def _give_back(key: str) -> None:
    try:
        cache.delete(key)
    except AWAY:
        return  # the lease runs out
