"""A person's own account: how others call and reach one, and the password."""

from django.conf import settings as portal
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from apps.notifications import wakeups
from apps.notifications.notification_kinds import Channel
from apps.tenancy.audit.audit_log import record_act, remote_address_of
from apps.tenancy.middleware import OrganizationRequest, without_scope
from apps.tenancy.people import email_addresses
from apps.tenancy.people.account import BadAccount, change_account, change_password
from apps.tenancy.people.link_acceptance import end_password_links
from apps.tenancy.scope import organization_scope
from apps.tenancy.sign_in.password import SignInOutcome, confirm
from apps.tenancy.single_sign_on import member_identities
from apps.web.settings.account.page import address_state, language_choices
from apps.web.settings.tabs import show_tab


@require_http_methods(["GET", "HEAD", "POST"])
def account(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the account of the reader, or change how the reader is called and reached."""
    if request.method != "POST":
        return _show(request)
    typed = {name: request.POST.get(name, "") for name in ("name", "email", "language")}
    where = remote_address_of(request=request)
    try:
        change_account(user=request.user, **typed, remote_address=where, now=timezone.now())
    except BadAccount as error:
        return _show(request, typed=typed, problems={error.field: str(error)}, status=422)
    wakeups.ask_on_commit(organization_id=request.actor.organization.pk, channels={Channel.EMAIL})
    messages.info(request, _("Saved."))
    return redirect("web:account", org)


@without_scope
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: OrganizationRequest, org: str) -> HttpResponse:
    """Give the reader another password; this browser stays signed in, others don't."""
    if request.method != "POST":
        return redirect("web:account", org)
    now, chosen = timezone.now(), request.POST.get("password", "")
    try:
        _confirm(request)
        where = remote_address_of(request=request)
        change_password(user=request.user, password=chosen, remote_address=where, now=now)
    except BadAccount as error:
        with organization_scope(request.actor.organization.pk):
            return _show(request, problems={error.field: str(error)}, status=422)
    end_password_links(user=request.user, now=now)
    update_session_auth_hash(request, request.user)
    messages.info(request, _("The new password counts from now on. Other browsers are signed out."))
    return redirect("web:account", org)


@require_POST
def disconnect(request: OrganizationRequest, org: str) -> HttpResponse:
    """Let the organization's provider open the account no more; this browser stays signed in."""
    member_identities.disconnect(actor=request.actor, user=request.user)
    record_act(
        actor=request.actor,
        action="identity.disconnected",
        subject=request.user.label,
        request=request,
        now=timezone.now(),
    )
    update_session_auth_hash(request, request.user)
    messages.info(request, _("Disconnected. Other browsers are signed out."))
    return redirect("web:account", org)


def _confirm(request: OrganizationRequest) -> None:
    outcome = confirm(request=request, password=request.POST.get("current", ""))
    if outcome is SignInOutcome.LOCKED:
        raise BadAccount("current", _("Too many failed attempts. Wait a quarter of an hour."))
    if outcome is SignInOutcome.REFUSED:
        raise BadAccount("current", _("This is not your password."))
    if request.POST.get("password", "") != request.POST.get("again", ""):
        raise BadAccount("again", _("The two are not the same."))


def _show(
    request: OrganizationRequest,
    *,
    typed: dict[str, str] | None = None,
    problems: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    user, now = request.user, timezone.now()
    state = address_state(
        user=user,
        asked=email_addresses.asked_of(user=user),
        is_mail_set_up=bool(portal.PORTAL_SMTP),
        now=now,
    )
    return show_tab(
        request,
        "web/settings/account/page.html",
        tab="account",
        now=now,
        status=status,
        address=state,
        languages=language_choices((typed or {}).get("language", user.language)),
        username=user.get_username(),
        typed=typed or {"name": user.get_full_name(), "email": user.email},
        problems=problems or {},
        has_password=user.has_usable_password(),
        connection=member_identities.connection_of(actor=request.actor, user=user),
        organization=request.actor.organization.name,
    )
