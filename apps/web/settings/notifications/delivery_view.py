"""What was sent: a test by the usual way, and what failed once more."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from apps.notifications.delivery import delivery_log, outbound_freeze
from apps.notifications.delivery.delivery_log import BeingSent, NotConfirmed, StillWaiting, TooSoon
from apps.notifications.notification_kinds import Channel
from apps.tenancy.access import NotFound
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.web.settings.notifications.view import note_act


@require_http_methods(["GET", "HEAD", "POST"])
def send_test(request: OrganizationRequest, org: str) -> HttpResponse:
    """Send a test by the usual way; the log below says how it went."""
    if request.method != "POST":
        return redirect("web:notifications", org)
    channel = request.POST.get("channel", "")
    if channel not in Channel.values:
        raise NotFound
    try:
        delivery_log.send_test(actor=request.actor, channel=Channel(channel), now=timezone.now())
    except StillWaiting:
        messages.warning(request, _("A test is on its way already: see below."))
    except NotConfirmed:
        messages.warning(request, _("Your address is not confirmed yet: see the tab Account."))
    except TooSoon:
        messages.warning(
            request, _("A test went there a moment ago: wait a minute for another one.")
        )
    else:
        note_act(request, "notice.tested", now=timezone.now())
        _say_sent(request, _("A test is on its way. Look below in a few seconds."))
    return redirect("web:notifications", org)


@require_POST
def resend_delivery(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Send one delivery once more."""
    now = timezone.now()
    try:
        delivery_log.send_again(actor=request.actor, public_id=public_id, now=now)
    except BeingSent:
        messages.warning(request, _("It is being sent right now: see below."))
        return redirect("web:notifications", org)
    record_act(
        actor=request.actor, action="notice.replayed", subject=public_id, request=request, now=now
    )
    _say_sent(request, _("It is sent again, under the same id."))
    return redirect("web:notifications", org)


@require_http_methods(["GET", "HEAD", "POST"])
def resend_failed(request: OrganizationRequest, org: str) -> HttpResponse:
    """Send everything once more that was given up."""
    if request.method != "POST":
        return redirect("web:notifications", org)
    now = timezone.now()
    count = delivery_log.send_failed_again(actor=request.actor, now=now)
    note_act(request, "notice.replayed_all", now=now)
    told = ngettext("%(n)s delivery is sent again.", "%(n)s deliveries are sent again.", count)
    _say_sent(request, told % {"n": count})
    return redirect("web:notifications", org)


def _say_sent(request: OrganizationRequest, told: str) -> None:
    """Say that something goes out, or that it waits with everything else."""
    waits = _("Sending is on hold: it waits below until who runs this portal lifts that.")
    messages.info(request, waits if outbound_freeze.standing() else told)
