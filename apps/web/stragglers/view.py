"""Stragglers of all sessions with a trace, and adding a trace to a session."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from apps.diagnosis.input_values import whole_number
from apps.fleet.access import is_vendor_alone
from apps.fleet.facade.sessions import open_session
from apps.reliability.facade.stragglers import add_trace, straggler_fleet
from apps.reliability.stragglers.trace_uploads import MOST_BYTES, TOO_MUCH
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.limits.push_turns import TooManyAtOnce, turn
from apps.tenancy.access import Right
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.web.shell.address_filters import known
from apps.web.shell.render import show
from apps.web.stragglers.fleet_page import MONTHS, stragglers_page

DAYS_A_MONTH: Final = 31


@require_GET
def stragglers(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show how many jobs straggle, what that costs, and whom it asks for."""
    now = timezone.now()
    months = known(request, "months", MONTHS) or MONTHS[0]
    since = now - timedelta(days=DAYS_A_MONTH * int(months))
    found = straggler_fleet(actor=request.actor, since=since, now=now)
    page = stragglers_page(found, months=months)
    if not page.jobs and is_vendor_alone(actor=request.actor):
        page = replace(page, is_hidden=True)
    return show(request, "web/stragglers/page.html", section="sessions", now=now, page=page)


@require_http_methods(["GET", "HEAD", "POST"])
def traces(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Keep what a step trace says of an attempt, and go back to its session."""
    open_session(actor=request.actor, public_id=public_id)
    there = redirect("web:session", org, public_id)
    if request.method != "POST":
        return there
    request.actor.require(Right.ACT)
    if problem := _taken(request, public_id):
        messages.error(request, problem)
    else:
        messages.info(request, _("The trace was read; what it says stands under Stragglers."))
    return there


def _taken(request: OrganizationRequest, public_id: str) -> str:
    """Read the files of the form; return why that can't be done."""
    now = timezone.now()
    files = request.FILES.getlist("files")
    if sum(file.size or 0 for file in files) > min(MOST_BYTES, settings.PORTAL_MAX_BODY_BYTES):
        return _("Not taken: %(why)s") % {"why": TOO_MUCH}
    try:
        with turn(request.actor.organization.pk, seconds=0):
            made = add_trace(
                actor=request.actor,
                session=public_id,
                attempt=whole_number(request.POST.get("attempt", "")),
                files=((file.name or "", file.read()) for file in files),
                now=now,
            )
    except (UnusableInput, TooManyAtOnce) as error:
        return _("Not taken: %(why)s") % {"why": error}
    record_act(
        actor=request.actor,
        action="session.traced",
        subject=f"{public_id} {made.public_id}",
        request=request,
        now=now,
    )
    return ""
