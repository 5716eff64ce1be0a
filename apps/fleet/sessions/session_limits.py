"""How many sessions one reporter may begin in a day, and how often one may be started again."""

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.core.cache import cache

from apps.fleet.models import Session
from apps.tenancy.work.task_requests import AWAY

MOST_ATTEMPTS: Final = 1_000  # of one session
KEPT: Final = timedelta(days=2)


class TooManySessions(Exception):
    """A reporter begins more sessions, or attempts of one, than anybody runs."""


def take_session(*, reporter_id: int, owner_id: int, now: datetime) -> None:
    """Count a session that a reporter begins for its owner; raise TooManySessions above a day's
    number. One tenant's jobs use up no other's.

    Counted in the cache: without one nobody is refused.
    """
    limit = settings.PORTAL_MAX_NEW_SESSIONS
    key = f"new-sessions:{reporter_id}:{owner_id}:{now:%Y-%m-%d}"
    try:
        cache.add(key, 0, timeout=KEPT.total_seconds())
        count = cache.incr(key)
    except (*AWAY, ValueError):  # the last: it ended between two of these
        return
    if count > limit:
        raise TooManySessions(
            f"{limit} new sessions of one organization were reported today, as many as may be in a "
            "day (PORTAL_MAX_NEW_SESSIONS); sessions that are known are still taken. Report "
            "training sessions alone, by the scheduler's id and not by one of each process"
        )


def require_attempt(*, session: Session, number: int) -> None:
    """Raise TooManySessions for one more attempt of a session that has too many.

    Needs the scope of the session's tenant.
    """
    if is_full(session=session, number=number):
        raise TooManySessions(
            f"the session {session.name!r} has {MOST_ATTEMPTS} attempts, as many as it may; report "
            "a job that was submitted anew under its new id"
        )


def is_full(*, session: Session, number: int) -> bool:
    """Say whether this would be one attempt of a session too many. Needs its tenant's scope."""
    if session.attempts.filter(number=number).exists():
        return False
    return session.attempts.order_by("id")[:MOST_ATTEMPTS].count() >= MOST_ATTEMPTS
