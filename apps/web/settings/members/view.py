"""Members: who belongs to the organization, and who is to."""

from django.conf import settings as portal
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.notifications import wakeups
from apps.notifications.notification_kinds import Channel
from apps.tenancy.access import NotFound, Right
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.models import MemberRole
from apps.tenancy.people import invitations
from apps.tenancy.people.account import BadAccount
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.people.members import LastAdmin, access_members, change_role, remove_member
from apps.web.settings.members.factor_card import factor_card
from apps.web.settings.members.page import (
    InviteForm,
    MembersPage,
    NewLink,
    awaited_row,
    invite_form,
    member_row,
    new_link,
)
from apps.web.settings.tabs import show_tab


@require_GET
def members(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show who belongs to the organization in the path."""
    return _show(request)


@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def invite(request: OrganizationRequest, org: str) -> HttpResponse:
    """Make a link. It stands in this answer and nowhere else: a second look has none."""
    if request.method != "POST":
        return redirect("web:members", org)
    now = timezone.now()
    given = {name: request.POST.get(name, "") for name in ("name", "email", "role", "is_mailed")}
    try:
        issued = invitations.invite(actor=request.actor, wish=_wish(given), now=now)
    except BadAccount as error:
        form = invite_form(given=given, problems={error.field: str(error)})
        return _show(request, form=form, status=422)
    public_id = issued.invitation.public_id
    wakeups.ask_on_commit(organization_id=request.actor.organization.pk, channels={Channel.EMAIL})
    record_act(
        actor=request.actor, action="member.invited", subject=public_id, request=request, now=now
    )
    url = portal.PORTAL_BASE_URL + reverse("web:join", args=[issued.code])
    return _show(request, made=new_link(invitation=issued.invitation, url=url), status=201)


@require_POST
def uninvite(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """End a link that nobody followed yet."""
    now = timezone.now()
    if invitations.revoke_invitation(actor=request.actor, public_id=public_id, now=now):
        _note(request, "invitation.revoked", public_id)
        messages.info(request, _("The link opens nothing any more."))
    return redirect("web:members", org)


@require_POST
def set_role(request: OrganizationRequest, org: str, username: str) -> HttpResponse:
    """Let a member do more or less."""
    role, now = _role(request.POST.get("role", "")), timezone.now()
    try:
        if change_role(actor=request.actor, username=username, role=role, now=now):
            _note(request, "member.role_changed", f"{username} {role.value}")
            messages.info(request, _("Changed, from the next click of that person on."))
    except LastAdmin:
        messages.error(request, _("Somebody has to manage it: make another member an admin first."))
    return redirect("web:members", org)


@require_POST
def remove(request: OrganizationRequest, org: str, username: str) -> HttpResponse:
    """Take a person out; whoever removes itself is led to the start."""
    try:
        user = remove_member(actor=request.actor, username=username, now=timezone.now())
    except LastAdmin:
        messages.error(request, _("Somebody has to manage it: make another member an admin first."))
        return redirect("web:members", org)
    _note(request, "member.removed", username)
    if user.pk == request.user.pk:
        return redirect("web:start")
    messages.info(request, _("%(name)s is no member any more.") % {"name": username})
    return redirect("web:members", org)


def _show(
    request: OrganizationRequest,
    *,
    form: InviteForm | None = None,
    made: NewLink | None = None,
    status: int = 200,
) -> HttpResponse:
    now, actor = timezone.now(), request.actor
    can_manage = Right.MANAGE in actor.rights
    awaited = invitations.pending(actor=actor, now=now) if can_manage else []
    found = access_members(actor=actor)
    page = MembersPage(
        members=tuple(member_row(member=each, reader=request.user, now=now) for each in found),
        can_manage=can_manage,
        is_mail_set_up=bool(portal.PORTAL_SMTP),
        awaited=tuple(awaited_row(invitation=each) for each in awaited),
        form=(form or invite_form()) if can_manage else None,
        made=made,
        factor=factor_card(actor=actor, members=found) if can_manage else None,
    )
    return show_tab(
        request, "web/settings/members/page.html", tab="members", now=now, status=status, page=page
    )


def _wish(given: dict[str, str]) -> InvitationWish:
    return InvitationWish(
        role=_role(given["role"]),
        name=given["name"],
        email=given["email"],
        is_mailed=bool(portal.PORTAL_SMTP) and given["is_mailed"] == "1",
    )


def _role(text: str) -> MemberRole:
    if text not in MemberRole.values:
        raise NotFound
    return MemberRole(text)


def _note(request: OrganizationRequest, action: str, subject: str) -> None:
    record_act(
        actor=request.actor, action=action, subject=subject, request=request, now=timezone.now()
    )
