"""Whether a body may be read, and how much of it: a look at the credential before its first byte.

An answer here lets nobody in: the application looks again, once the body is there. It is kept for
a second, so that a busy sender, or one who guesses, costs a look-up a second.
"""

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.cookies import CookieError
from importlib import import_module
from time import monotonic
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user
from django.db import DatabaseError, connection
from django.http import HttpRequest, parse_cookie
from django.utils import timezone

from apps.api.v1.base_view import presented_token
from apps.operations.admission import routes
from apps.operations.admission.fair_queue import FairQueue
from apps.tenancy.access import NotFound, Right, actor_for_user
from apps.tenancy.credentials import CredentialRefused, authenticate, verify
from apps.tenancy.models import TokenScope, User

KEPT_SECONDS: Final = 1.0
KEPT_AT_MOST: Final = 4096
THREADS: Final = 2
WAIT_SECONDS: Final = 5.0
Look = Callable[[], str | None]


class Credentials:
    """Looks credentials up in threads of its own, a few at a time, each address in turn."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="credential")
        self._queue = FairQueue(capacity=THREADS, each=THREADS, waiting=256, each_waiting=64)
        self._kept: dict[bytes, tuple[float, str | None]] = {}
        self._asked: dict[tuple[bytes, str], asyncio.Task[str | None]] = {}

    async def owner_of(self, scope: Mapping[str, Any], *, address: str) -> str | None:
        """Return whose body this would be, None where it would be refused, or is a stranger's."""
        if not (_header(scope, b"authorization") or _header(scope, b"cookie")):
            return None
        key = digest_of(scope)
        kept = self._kept.get(key)
        if kept and kept[0] > monotonic():
            return kept[1]
        asked = self._asked.get((key, address))
        if asked is None:
            asked = asyncio.create_task(self._look_up(key, scope=scope, address=address))
            self._asked[key, address] = asked
            asked.add_done_callback(lambda _: self._asked.pop((key, address)))
        # Whoever goes away takes nobody's answer along.
        return await asyncio.shield(asked)

    async def _look_up(self, key: bytes, *, scope: Mapping[str, Any], address: str) -> str | None:
        """Look once for all that show the same at the same time."""
        async with self._queue.turn(address, seconds=WAIT_SECONDS):
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(self._threads, _looked_up, _look_for(scope))
        self._keep(key, found)
        return found

    def _keep(self, key: bytes, found: str | None) -> None:
        if len(self._kept) >= KEPT_AT_MOST:
            self._kept.clear()
        self._kept[key] = (monotonic() + KEPT_SECONDS, found)


def sender_of(*, authorization: str) -> str | None:
    """Return the organization whose token may push, None without one."""
    presented = presented_token(authorization)
    if presented is None:
        return None
    try:
        now = timezone.now()  # noqa: TID251  a door
        token = verify(presented=presented, scope=TokenScope.INGEST, now=now)
    except CredentialRefused:
        return None
    return f"organization {token.organization_id}"


def uploader_of(*, cookies: str, slug: str) -> str | None:
    """Return the organization whose signed-in member may upload, None without one."""
    user = _user_of(cookies)
    if user is None:
        return None
    try:
        actor = actor_for_user(user=user, slug=slug)
        actor.require(Right.ACT)
    except NotFound:
        return None
    return f"organization {actor.organization.pk}"


def somebody_of(*, authorization: str, cookies: str) -> str | None:
    """Return who shows any credential that is good, None for a stranger."""
    presented = presented_token(authorization)
    if presented is None:
        user = _user_of(cookies)
        return f"user {user.pk}" if user else None
    try:
        token = authenticate(presented=presented, now=timezone.now())  # noqa: TID251  a door
    except CredentialRefused:
        return None
    return f"organization {token.organization_id}"


def _user_of(cookies: str) -> User | None:
    request = HttpRequest()
    try:
        request.COOKIES = parse_cookie(cookies)
    except CookieError:
        return None
    store = import_module(settings.SESSION_ENGINE).SessionStore
    request.session = store(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    user = get_user(request)
    return user if isinstance(user, User) else None


def digest_of(scope: Mapping[str, Any]) -> bytes:
    """Return what stands for a request's credential; a token is one however it is written."""
    authorization, cookies = _header(scope, b"authorization"), _header(scope, b"cookie")
    if routes.is_push(scope):
        told: tuple[str, ...] = ("push", presented_token(authorization) or "")
    elif routes.takes_large_bodies(scope):
        told = ("upload", scope["path"], cookies)
    else:
        told = ("form", authorization, cookies)
    return hashlib.sha256("\0".join(told).encode()).digest()


def _look_for(scope: Mapping[str, Any]) -> Look:
    authorization, cookies = _header(scope, b"authorization"), _header(scope, b"cookie")
    if routes.is_push(scope):
        return lambda: sender_of(authorization=authorization)
    if routes.takes_large_bodies(scope):
        slug = scope["path"].split("/")[2]
        return lambda: uploader_of(cookies=cookies, slug=slug)
    return lambda: somebody_of(authorization=authorization, cookies=cookies)


def _looked_up(look: Look) -> str | None:
    try:
        return look()
    except DatabaseError:
        return None  # the application says so, in its own words
    finally:
        connection.close()


def _header(scope: Mapping[str, Any], name: bytes) -> str:
    values = [value.decode("latin1") for each, value in scope["headers"] if each == name]
    return ("; " if name == b"cookie" else ",").join(values)
