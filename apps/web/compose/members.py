"""Members in words: their names, what they may do, when they last came."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from apps.tenancy.members import Member
from apps.tenancy.models import MemberRole, User
from apps.web import words


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRow:
    """A member in the list."""

    name: str
    username: str
    email: str
    may: str
    signed_in: str
    is_you: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MembersPage:
    """Who belongs to the organization."""

    members: tuple[MemberRow, ...]


def members_page(*, members: Sequence[Member], reader: User, now: datetime) -> MembersPage:
    """Return the page for one of the members."""
    return MembersPage(
        members=tuple(_row(member=member, reader=reader, now=now) for member in members)
    )


def role_name(role: MemberRole) -> str:
    """Return what a role lets a person do."""
    names = {
        MemberRole.VIEWER: _("read"),
        MemberRole.RESPONDER: _("read and act"),
        MemberRole.ADMIN: _("read, act and manage"),
    }
    return names[role]


def _row(*, member: Member, reader: User, now: datetime) -> MemberRow:
    user = member.user
    return MemberRow(
        name=user.get_full_name() or user.get_username(),
        username=user.get_username(),
        email=user.email,
        may=role_name(member.role),
        signed_in=_signed_in(at=user.last_login, now=now),
        is_you=user.pk == reader.pk,
    )


def _signed_in(*, at: datetime | None, now: datetime) -> str:
    if at is None:
        return _("never")
    seconds = max((now - at).total_seconds(), 0)
    return _("%(age)s ago") % {"age": words.duration(seconds)}
