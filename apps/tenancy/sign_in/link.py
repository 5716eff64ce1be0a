"""Signing in with a link that works once: as a new member, a known one, or with a new password."""

from datetime import datetime

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from apps.tenancy.audit.audit_log import remote_address_of
from apps.tenancy.models import User
from apps.tenancy.people import link_acceptance
from apps.tenancy.people.account import NewAccount
from apps.tenancy.sign_in.password import enter


def sign_in_as_new(
    *, request: HttpRequest, code: str, account: NewAccount, wanted: str, now: datetime
) -> HttpResponse:
    """Make the person and member, and sign in; raise LinkGone, BadAccount."""
    where = remote_address_of(request=request)
    user = link_acceptance.accept_as_new(code=code, account=account, remote_address=where, now=now)
    return _enter(request, user=user, wanted=wanted)


def sign_in_with_password(
    *, request: HttpRequest, code: str, password: str, wanted: str, now: datetime
) -> HttpResponse:
    """Set the password of whom the link is for, and sign in; raise LinkGone, BadAccount."""
    where = remote_address_of(request=request)
    user = link_acceptance.accept_password(
        code=code, password=password, remote_address=where, now=now
    )
    return _enter(request, user=user, wanted=wanted)


def join_as(*, request: HttpRequest, code: str, user: User, now: datetime) -> None:
    """Make a member of who is signed in; raise LinkGone, MemberAlready."""
    where = remote_address_of(request=request)
    link_acceptance.accept_as(code=code, user=user, remote_address=where, now=now)
    _keep_language(request, user=user)


def _keep_language(request: HttpRequest, *, user: User) -> None:
    """Write letters in the language of the page that was read, unless the person chose one."""
    language = getattr(request, "LANGUAGE_CODE", "")
    if not user.language and language in dict(settings.LANGUAGES):
        user.language = language
        user.save(update_fields=["language"])


def _enter(request: HttpRequest, *, user: User, wanted: str) -> HttpResponse:
    _keep_language(request, user=user)
    return enter(request=request, user=user, wanted=wanted)
