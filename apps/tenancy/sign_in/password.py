"""Signing in with a name and a password. Says nothing about which of the two was wrong."""

import logging
from datetime import datetime
from enum import StrEnum
from functools import partial

from allauth.account.utils import perform_login
from django.contrib.auth import authenticate, logout
from django.http import HttpRequest, HttpResponse
from django.utils.http import url_has_allowed_host_and_scheme

from apps.tenancy.audit.audit_log import AuditAction, record_for_person, remote_address_of
from apps.tenancy.models import User
from apps.tenancy.people.account import NAME_LIMIT, PASSWORD_LIMIT
from apps.tenancy.sign_in import failures
from apps.tenancy.work.after_response import afterwards

logger = logging.getLogger(__name__)


class SignInOutcome(StrEnum):
    """How an attempt to sign in ended."""

    WELCOME = "welcome"
    REFUSED = "refused"
    LOCKED = "locked"  # too many failures for this name from this address; try again later


def sign_in(
    *, request: HttpRequest, username: str, password: str, wanted: str, now: datetime
) -> SignInOutcome | HttpResponse:
    """Return where a person goes from here, or how it failed. Answer LOCKED with 429.

    Who has a second factor is asked for it first: nobody is signed in before.

    Until the answer is out nothing is done that depends on whether somebody has the name.
    """
    username = username.replace("\x00", "\N{REPLACEMENT CHARACTER}")  # PostgreSQL takes no NUL
    is_short = len(username) <= NAME_LIMIT and len(password) <= PASSWORD_LIMIT
    username = username[:NAME_LIMIT]
    if not failures.may_try(request=request, username=username):
        return _failed(request, username=username, outcome=SignInOutcome.LOCKED, now=now)
    user = authenticate(request, username=username, password=password) if is_short else None
    if isinstance(user, User):
        return enter(request=request, user=user, wanted=wanted)
    is_locked = bool(getattr(request, "axes_locked_out", False))
    # Else its middleware would replace our page.
    request.axes_locked_out = False  # type: ignore[attr-defined]
    failures.count(request=request, username=username)
    outcome = SignInOutcome.LOCKED if is_locked else SignInOutcome.REFUSED
    return _failed(request, username=username, outcome=outcome, now=now)


def enter(*, request: HttpRequest, user: User, wanted: str) -> HttpResponse:
    """Sign in whose password is right, in a new session; ask for the second factor first."""
    if isinstance(request.user, User):
        logout(request)  # else what was confirmed in it would count for the other person
    home = safe_next(request=request, wanted=wanted)
    answer: HttpResponse = perform_login(request, user, redirect_url=home)
    return answer


def _failed(
    request: HttpRequest, *, username: str, outcome: SignInOutcome, now: datetime
) -> SignInOutcome:
    action = "sign_in.locked" if outcome is SignInOutcome.LOCKED else "sign_in.failed"
    write = partial(failures.write_down, request=request, username=username, action=action, now=now)
    afterwards(request=request, act=write)
    return outcome


def confirm(*, request: HttpRequest, password: str) -> SignInOutcome:
    """Say whether this is the password of who is signed in; failures count as at the door."""
    known = None
    if len(password) <= PASSWORD_LIMIT:
        known = authenticate(request, username=request.user.get_username(), password=password)
    is_locked = bool(getattr(request, "axes_locked_out", False))
    request.axes_locked_out = False  # type: ignore[attr-defined]
    if known is not None and known.pk == request.user.pk:
        return SignInOutcome.WELCOME
    logger.warning("password.not_confirmed", extra={"user_id": request.user.pk})
    return SignInOutcome.LOCKED if is_locked else SignInOutcome.REFUSED


def sign_out(*, request: HttpRequest, now: datetime) -> None:
    """End the session on the server, so that a kept cookie opens nothing."""
    if isinstance(request.user, User):
        _record(request=request, user=request.user, action="sign_out", now=now)
    logout(request)


def safe_next(*, request: HttpRequest, wanted: str) -> str:
    """Return where to go after signing in: a path of this portal, else its start."""
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else "/"


def _record(*, request: HttpRequest, user: User, action: str, now: datetime) -> None:
    act = AuditAction(
        action=action,
        actor=user.label,
        remote_address=remote_address_of(request=request),
    )
    record_for_person(user=user, act=act, now=now)
