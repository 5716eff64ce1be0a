"""Failed attempts to sign in: what is written of them, and how many one name may have.

A name and the network it is tried from are locked together (axes), so that nobody locks a person
out from elsewhere. Who tries one name from many networks is slowed: from then on the name is
tried once in a while, but for browsers that its owner signed in with before.
"""

import logging
from datetime import datetime
from typing import Final

from django.core.cache import cache
from django.http import HttpRequest

from apps.tenancy.audit import repeated_acts
from apps.tenancy.audit.audit_log import AuditAction, record_for_person, remote_address_of
from apps.tenancy.models import User
from apps.tenancy.sign_in import devices
from apps.tenancy.sign_in.client_networks import network_of_request

logger = logging.getLogger(__name__)
SPAN_SECONDS: Final = 15 * 60
NAME_SPAN_SECONDS: Final = 3600
NAME_FAILURES: Final = 30  # of one name in an hour, from wherever
PACE_SECONDS: Final = 10  # then one attempt
ENTRIES: Final = 20  # of one person in an hour, then with the logarithm


def may_try(*, request: HttpRequest, username: str) -> bool:
    """Whether a name may be tried now; the same for names that nobody has."""
    is_known = devices.is_known(request=request, username=username)
    if cache.get(_slow(username)) is None or is_known:
        return True
    return bool(cache.add(f"{_slow(username)}:next", 1, timeout=PACE_SECONDS))


def count(*, request: HttpRequest, username: str) -> None:
    """Count a failure of a name, wherever it came from."""
    failures = repeated_acts.counted(what=f"name {username}", seconds=NAME_SPAN_SECONDS)
    if failures >= NAME_FAILURES:
        cache.set(_slow(username), 1, timeout=NAME_SPAN_SECONDS)
    devices.count_failure(request=request, username=username)


def write_down(*, request: HttpRequest, username: str, action: str, now: datetime) -> None:
    """Write a failure into the log and the records of the person's organizations, now and then."""
    network = network_of_request(request)
    known = User.objects.filter(username=username).first()
    times = repeated_acts.counted(what=f"{action} from {network}", seconds=SPAN_SECONDS)
    if repeated_acts.is_noted(times):
        logger.warning(action, extra={"user_id": known.pk if known else None, "times": times})
    if known is None:
        return
    here = repeated_acts.counted(what=f"{action} {known.pk} {network}", seconds=SPAN_SECONDS)
    if repeated_acts.is_noted(here) and _has_room(known):
        act = AuditAction(
            action=action,
            subject=repeated_acts.told(here),
            actor=known.label,
            remote_address=remote_address_of(request=request),
        )
        record_for_person(user=known, act=act, now=now)


def _has_room(user: User) -> bool:
    entries = repeated_acts.counted(what=f"entries {user.pk}", seconds=NAME_SPAN_SECONDS)
    return entries <= ENTRIES or repeated_acts.is_noted(entries)


def _slow(username: str) -> str:
    return f"sign_in:slow:{devices.digest_of_name(username)}"
