"""Signing in with a link that works once: as a new member, a known one, or with a new password."""

from datetime import datetime

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest

from apps.tenancy.audit.audit_log import AuditAction, record_for_person, remote_address_of
from apps.tenancy.models import User
from apps.tenancy.people import link_acceptance
from apps.tenancy.people.account import NewAccount

BACKEND = "django.contrib.auth.backends.ModelBackend"


def sign_in_as_new(*, request: HttpRequest, code: str, account: NewAccount, now: datetime) -> None:
    """Make the person and member, and sign in; raise LinkGone, BadAccount."""
    where = remote_address_of(request=request)
    user = link_acceptance.accept_as_new(code=code, account=account, remote_address=where, now=now)
    _enter(request, user=user, now=now)


def sign_in_with_password(*, request: HttpRequest, code: str, password: str, now: datetime) -> None:
    """Set the password of whom the link is for, and sign in; raise LinkGone, BadAccount."""
    where = remote_address_of(request=request)
    user = link_acceptance.accept_password(
        code=code, password=password, remote_address=where, now=now
    )
    _enter(request, user=user, now=now)


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


def _enter(request: HttpRequest, *, user: User, now: datetime) -> None:
    login(request, user, backend=BACKEND)  # in a new session
    _keep_language(request, user=user)
    deed = AuditAction(
        action="sign_in.done",
        actor=user.label,
        remote_address=remote_address_of(request=request),
    )
    record_for_person(user=user, deed=deed, now=now)
