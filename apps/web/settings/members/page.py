"""Members in words: their names, what they may do, when they last came, who is awaited."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from apps.tenancy.models import Invitation, MemberRole, User
from apps.tenancy.people.members import Member
from apps.web import words
from apps.web.display.instants import in_full
from apps.web.settings.members.factor_card import FactorCard


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleChoice:
    """One of the roles in a list."""

    value: str
    name: str
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberRow:
    """A member in the list."""

    name: str
    username: str
    email: str
    is_unconfirmed: bool  # nothing is sent to its address yet
    may: str
    signed_in: str
    is_you: bool
    is_needed: bool  # the only one who can manage: can't go
    roles: tuple[RoleChoice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitedRow:
    """A link that nobody followed yet."""

    public_id: str
    who: str
    may: str
    ends: str
    mailed: str  # what became of its letter, or nothing
    sets_password: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InviteForm:
    """The form that invites, as it is filled in."""

    roles: tuple[RoleChoice, ...]
    name: str = ""
    email: str = ""
    is_mailed: bool = True
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLink:
    """A link that was just made. It exists on this one page."""

    who: str
    url: str
    ends: str
    mailed_to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MembersPage:
    """Who belongs to the organization; what only admins see is empty for others."""

    members: tuple[MemberRow, ...]
    can_manage: bool
    is_mail_set_up: bool
    awaited: tuple[AwaitedRow, ...] = ()
    form: InviteForm | None = None
    made: NewLink | None = None
    factor: FactorCard | None = None


def member_row(*, member: Member, reader: User, now: datetime) -> MemberRow:
    """Return one member as another one sees it."""
    user = member.user
    return MemberRow(
        name=user.get_full_name() or user.get_username(),
        username=user.get_username(),
        email=user.email,
        is_unconfirmed=bool(user.email) and not user.is_reachable,
        may=role_name(member.role),
        signed_in=_signed_in(user=user, now=now),
        is_you=user.pk == reader.pk,
        is_needed=member.is_needed,
        roles=role_choices(chosen=member.role),
    )


def awaited_row(*, invitation: Invitation) -> AwaitedRow:
    """Return one link that still works."""
    return AwaitedRow(
        public_id=invitation.public_id,
        who=who_is(invitation=invitation),
        may=role_name(MemberRole(invitation.role)),
        ends=f"{in_full(invitation.expires_at)} UTC",
        mailed=_mailed(invitation),
        sets_password=invitation.user is not None,
    )


def invite_form(
    *, given: Mapping[str, str] | None = None, problems: Mapping[str, str] | None = None
) -> InviteForm:
    """Return the form: empty, or as it was filled in with what is wrong."""
    filled = given or {}
    return InviteForm(
        roles=role_choices(chosen=filled.get("role", MemberRole.RESPONDER)),
        name=filled.get("name", ""),
        email=filled.get("email", ""),
        is_mailed=given is None or filled.get("is_mailed") == "1",
        problems=problems or {},
    )


def new_link(*, invitation: Invitation, url: str) -> NewLink:
    """Return a link to show this once."""
    return NewLink(
        who=who_is(invitation=invitation),
        url=url,
        ends=f"{in_full(invitation.expires_at)} UTC",
        mailed_to=invitation.email if invitation.mail_due_at else "",
    )


def who_is(*, invitation: Invitation) -> str:
    """Return whom a link is for, as far as that was said."""
    if invitation.user is not None:
        return invitation.user.get_username()
    return invitation.name or invitation.email or _("somebody")


def role_choices(*, chosen: str) -> tuple[RoleChoice, ...]:
    """Return the roles to choose from."""
    return tuple(
        RoleChoice(value=role.value, name=role_name(role), is_chosen=role == chosen)
        for role in MemberRole
    )


def role_name(role: MemberRole) -> str:
    """Return what a role lets a person do."""
    names = {
        MemberRole.VIEWER: _("read"),
        MemberRole.RESPONDER: _("read and act"),
        MemberRole.ADMIN: _("read, act and manage"),
    }
    return names[role]


def _mailed(invitation: Invitation) -> str:
    if invitation.mail_said:
        return _("the letter was not taken: %(said)s") % {"said": invitation.mail_said}
    if invitation.mailed_at is not None:
        at = f"{in_full(invitation.mailed_at)} UTC"
        return _("mailed to %(email)s at %(at)s") % {"email": invitation.email, "at": at}
    if invitation.mail_due_at is not None:
        return _("a letter to %(email)s is on its way") % {"email": invitation.email}
    return ""


def _signed_in(*, user: User, now: datetime) -> str:
    if not user.has_usable_password():
        return _("has no password yet")
    if user.last_login is None:
        return _("never")
    seconds = max((now - user.last_login).total_seconds(), 0)
    return _("%(age)s ago") % {"age": words.duration(seconds)}
