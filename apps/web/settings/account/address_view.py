"""An address is confirmed: the page that a mailed link leads to, and asking for another letter."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.notifications import wakeups
from apps.notifications.notification_kinds import Channel
from apps.tenancy.audit.audit_log import record_act, remote_address_of
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.people import email_addresses
from apps.tenancy.people.email_addresses import AddressLinkGone
from apps.web.shell.render import theme_of


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def confirm(request: HttpRequest, code: str) -> HttpResponse:
    """Ask whether the address is the reader's, and note it when told so.

    Looking changes nothing: machines that scan mail follow links. Whoever reads the mailbox need
    not be signed in.
    """
    now, values = timezone.now(), {"theme": theme_of(request), "code": code}
    try:
        if request.method == "POST":
            where = remote_address_of(request=request)
            user = email_addresses.confirm(code=code, remote_address=where, now=now)
            return render(
                request,
                "web/settings/account/confirm_address.html",
                values | {"confirmed": user.email},
            )
        asked = email_addresses.asks_for(code=code, now=now)
    except AddressLinkGone:
        return render(
            request,
            "web/settings/account/confirm_address.html",
            values | {"is_gone": True},
            status=404,
        )
    told = {"email": asked.email, "person": asked.user.get_username()}
    return render(request, "web/settings/account/confirm_address.html", values | told)


@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: OrganizationRequest, org: str) -> HttpResponse:
    """Send the reader another letter, after a pause that grows."""
    if request.method == "POST" and email_addresses.ask(user=request.user, now=timezone.now()):
        wakeups.ask_on_commit(
            organization_id=request.actor.organization.pk, channels={Channel.EMAIL}
        )
        record_act(
            actor=request.actor, action="account.address_asked", request=request, now=timezone.now()
        )
        messages.info(request, _("Asked for: below it says when the letter goes."))
    return redirect("web:account", org)
