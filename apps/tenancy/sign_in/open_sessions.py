"""The browsers that are signed in as somebody: listed, and ended at once."""

from datetime import datetime

from allauth.usersessions.models import UserSession
from django.http import HttpRequest

from apps.tenancy.audit.audit_log import AuditAction, record_for_person, remote_address_of
from apps.tenancy.models import User


def sessions_of(*, request: HttpRequest, user: User) -> list[UserSession]:
    """Return who is signed in as this person, the newest first; the one that asks is among them."""
    here = UserSession.objects.filter(session_key=request.session.session_key)
    if not here.exists():  # it began under a version that listed none
        UserSession.objects.create_from_request(request)
    listed: list[UserSession] = UserSession.objects.purge_and_list(user)
    return sorted(listed, key=lambda each: each.created_at, reverse=True)


def end_others(*, request: HttpRequest, user: User, only: int | None, now: datetime) -> int:
    """End one of a person's other sessions, or all of them; return how many there were.

    The next request of an ended one is a stranger's, and so is the next event of its streams.
    """
    others = UserSession.objects.filter(user=user).exclude(session_key=request.session.session_key)
    if only is not None:
        others = others.filter(pk=only)
    ended = list(others)
    for each in ended:
        each.end()
    if ended:
        deed = AuditAction(
            action="session.ended",
            subject=user.label,
            actor=user.label,
            remote_address=remote_address_of(request=request),
            count=len(ended),
        )
        record_for_person(user=user, deed=deed, now=now)
    return len(ended)
