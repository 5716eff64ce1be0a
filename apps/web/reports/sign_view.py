"""Signing a report for one's organization: settled, or a dissent with its reason."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.diagnosis.input_values import whole_number
from apps.reliability.facade.reports import open_report, sign_report
from apps.reliability.models import ReportStance
from apps.reliability.reports.issue import ReportMoved
from apps.reliability.reports.signatures import DissentUnexplained, SignedTooOften, Signing
from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.reports.compose import report_page
from apps.web.shell.act_context import act_context
from apps.web.shell.render import show


@require_POST
def sign_one(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Sign the revision that the page showed; what was typed stays where it is not taken."""
    signing = _signing(request)
    try:
        sign_report(context=act_context(request), public_id=public_id, signing=signing)
    except ReportMoved:
        messages.error(request, _("Not signed: there is a newer revision. This is it."))
        return _again(request, org, public_id, status=409)
    except DissentUnexplained:
        return _again(request, org, public_id, status=400)
    except SignedTooOften:
        messages.error(request, _("Not signed: your organization said 20 things of it already."))
    else:
        messages.info(request, _("Signed. Everybody who has this report sees it."))
    return redirect("web:report", org, public_id)


def _signing(request: OrganizationRequest) -> Signing:
    sent = request.POST
    is_settled = sent.get("stance") == ReportStance.SETTLED
    return Signing(
        revision=whole_number(sent.get("revision", "")) or 0,
        digest=sent.get("digest", ""),
        stance=ReportStance.SETTLED if is_settled else ReportStance.DISSENT,
        reason=sent.get("reason", ""),
    )


def _again(request: OrganizationRequest, org: str, public_id: str, *, status: int) -> HttpResponse:
    actor = request.actor
    page = report_page(
        open_report(actor=actor, public_id=public_id),
        organization=actor.organization.name,
        slug=org,
        moved=None,
        may_issue=Right.ACT in actor.rights,
    )
    page = replace(page, reason=request.POST.get("reason", ""), is_reason_wrong=status == 400)
    answer = show(
        request, "web/reports/report.html", section="reliability", now=timezone.now(), page=page
    )
    answer.status_code = status
    return answer
