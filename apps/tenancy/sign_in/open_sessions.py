"""The browsers that are signed in as somebody: listed, and ended at once."""

from datetime import datetime

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.auth import HASH_SESSION_KEY
from django.db.models import F
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
        act = AuditAction(
            action="session.ended",
            subject=user.label,
            actor=user.label,
            remote_address=remote_address_of(request=request),
            count=len(ended),
        )
        record_for_person(user=user, act=act, now=now)
    return len(ended)


def end_unproven(*, request: HttpRequest, user: User, added: Authenticator) -> None:
    """End a person's other sessions once the first factor is there: none was asked for it.

    Else who came in by the password alone would count as having the factor, too.
    """
    factors = Authenticator.objects.filter(user=user)
    others = factors.exclude(pk=added.pk).exclude(type=Authenticator.Type.RECOVERY_CODES)
    if added.type == Authenticator.Type.RECOVERY_CODES or others.exists():
        return
    User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
    user.refresh_from_db(fields=["session_epoch"])
    # It is told of after the commit, maybe after the answer: the session keeps its name.
    request.session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    request.session.save()
