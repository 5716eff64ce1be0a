"""When reports are issued by themselves: set and ended by admins."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.diagnosis.input_values import MOST_ROWS, whole_number
from apps.reliability.facade.report_schedules import BadSchedule, drop_schedule, set_schedule
from apps.reliability.models.reports import ReportRhythm
from apps.reliability.period.scopes import Audience
from apps.tenancy.middleware import OrganizationRequest
from apps.web.shell.act_context import act_context

AUDIENCES = {each.value: each for each in Audience}


@require_POST
def set_one(request: OrganizationRequest, org: str) -> HttpResponse:
    """Set that a report is issued by itself."""
    sent = request.POST
    rhythm = sent.get("rhythm", "")
    try:
        set_schedule(
            context=act_context(request),
            audience=AUDIENCES.get(sent.get("audience", ""), Audience.OWN),
            cluster=sent.get("cluster") or None,
            rhythm=rhythm if rhythm in ReportRhythm.values else ReportRhythm.WEEKLY,
            recipients=[int(each) for each in sent.getlist("recipient") if _is_id(each)],
            to_webhook=sent.get("to_webhook") == "yes",
        )
    except BadSchedule:
        messages.error(request, _("Not set: name a cluster, and members of your organization."))
    else:
        messages.info(request, _("Set. The first one comes when its days are over."))
    return redirect("web:reports", org)


@require_POST
def end(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """End a schedule; what was issued stays."""
    drop_schedule(context=act_context(request), public_id=public_id)
    messages.info(request, _("No more reports come by this schedule."))
    return redirect("web:reports", org)


def _is_id(text: str) -> bool:
    return whole_number(text, most=MOST_ROWS) is not None
