"""Reports of the organization in the path."""

from dataclasses import replace
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.spelling import shown
from apps.fleet.access import access_clusters
from apps.reliability.facade.periods import BadPeriod, scope_of
from apps.reliability.facade.report_schedules import list_schedules, possible_recipients
from apps.reliability.facade.reports import (
    changes_since,
    issue_again,
    issue_report,
    list_reports,
    open_report,
)
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.issue import MOST_A_DAY, ReportMoved, TooManyReports
from apps.reliability.reports.report_values import ReportHead
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.reliability.asked import AskedPeriod, asked_of
from apps.web.reports.compose import (
    range_links,
    report_page,
    report_row,
    schedule_row,
    usual_ranges,
)
from apps.web.reports.page import ClusterChoice, RecipientChoice, ReportsPage
from apps.web.reports.wrong_wish import typed_query, wrong_in
from apps.web.shell.act_context import act_context
from apps.web.shell.address_filters import known, link, page_of
from apps.web.shell.render import show

PAGE_SIZE = 25
AUDIENCES = {each.value: each for each in Audience}


@require_GET
def reports(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show what was issued, the last first, and the forms that issue."""
    now, actor = timezone.now(), request.actor
    found: Any = list_reports(actor=actor)  # to its types a list knows its length
    pages: Paginator[ReportHead] = Paginator(found, PAGE_SIZE)
    part = page_of(request, pages=pages)
    name, asked = actor.organization.name, _asked(request, now=now)
    sends_mail = bool(settings.PORTAL_SMTP)
    may_manage = Right.MANAGE in actor.rights
    page = ReportsPage(
        rows=tuple(report_row(each, organization=name) for each in part),
        clusters=tuple(
            ClusterChoice(slug=each.slug, name=each.name) for each in access_clusters(actor=actor)
        ),
        ranges=range_links(asked, today=now.date()),
        audience=asked.audience.value,
        cluster=asked.cluster,
        first_day=asked.first_day.isoformat(),
        last_day=asked.last_day.isoformat(),
        schedules=tuple(
            schedule_row(each, organization=name, sends_mail=sends_mail)
            for each in list_schedules(actor=actor)
        ),
        recipients=_recipients(request) if may_manage else (),
        may_issue=Right.ACT in actor.rights,
        may_manage=may_manage,
        sends_mail=sends_mail,
        next_query=link(page=str(part.next_page_number())) if part.has_next() else "",
    )
    return show(request, "web/reports/list.html", section="reliability", now=now, page=page)


def _asked(request: OrganizationRequest, *, now: datetime) -> AskedPeriod:
    """Return what the form offers: as the address says; without days the last whole week."""
    asked = asked_of(request, now=now)
    if {"from", "until", "range"} & request.GET.keys():
        return asked
    _name, first_day, last_day = usual_ranges(now.date())[0]
    return replace(asked, range="", first_day=first_day, last_day=last_day)


@require_GET
def report(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Show a revision of a report as it was issued; asked for it, what moved since."""
    now, actor = timezone.now(), request.actor
    found = open_report(actor=actor, public_id=public_id, revision=_revision(request))
    is_asked = known(request, "changes", ("now",)) == "now"
    page = report_page(
        found,
        organization=actor.organization.name,
        slug=org,
        moved=_moved(request, public_id) if is_asked else None,
        may_issue=Right.ACT in actor.rights,
    )
    return show(request, "web/reports/report.html", section="reliability", now=now, page=page)


@require_POST
def issue(request: OrganizationRequest, org: str) -> HttpResponse:
    """Issue a report of the days that were chosen."""
    context = act_context(request)
    sent = request.POST
    try:
        scope = scope_of(
            actor=context.actor,
            audience=AUDIENCES.get(sent.get("audience", ""), Audience.OWN),
            cluster=sent.get("cluster") or None,
            first_day=date.fromisoformat(sent.get("first_day", "")),
            last_day=date.fromisoformat(sent.get("last_day", "")),
        )
        issued = issue_report(context=context, scope=scope)
    except (BadPeriod, ValueError, OverflowError):
        for each in wrong_in(sent):
            messages.error(request, each)
        return redirect(f"{reverse('web:reports', args=[org])}{typed_query(sent)}#issue")
    except ReportMoved:
        messages.info(request, _("Somebody issued it at the same moment."))
        return redirect("web:reports", org)
    except (TooManyReports, LedgerUnavailable) as error:
        messages.error(request, _refused(error))
        return redirect("web:reports", org)
    _tell(request, is_new=issued.is_new)
    return redirect("web:report", org, issued.public_id)


def _refused(error: Exception) -> str:
    if isinstance(error, LedgerUnavailable):
        return _("Not counted: that others' things are read can't be written down now.")
    return _("Not issued: %(most)d reports a day and no more.") % {"most": MOST_A_DAY}


def _moved(request: OrganizationRequest, public_id: str) -> Any:
    """Return what moved since a report was issued; None, and why, where that can't be counted."""
    try:
        return changes_since(actor=request.actor, public_id=public_id, now=timezone.now())
    except LedgerUnavailable as error:
        messages.warning(request, _refused(error))
        return None


@require_POST
def issue_anew(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Count the days of a report again: a new revision where something moved."""
    try:
        issued = issue_again(context=act_context(request), public_id=public_id)
    except ReportMoved:
        messages.info(request, _("Somebody issued it at the same moment."))
    except (TooManyReports, LedgerUnavailable) as error:
        messages.error(request, _refused(error))
    else:
        _tell(request, is_new=issued.is_new)
    return redirect("web:report", org, public_id)


def _tell(request: OrganizationRequest, *, is_new: bool) -> None:
    text = _("Issued.") if is_new else _("Nothing moved since it was issued: it stands.")
    messages.info(request, text)


def _recipients(request: OrganizationRequest) -> tuple[RecipientChoice, ...]:
    return tuple(
        RecipientChoice(value=str(each.id), name=each.name, is_reachable=each.is_reachable)
        for each in possible_recipients(actor=request.actor)
    )


def _revision(request: OrganizationRequest) -> int | None:
    """Return the revision that is asked for, or nothing where it can be none; say so."""
    text = request.GET.get("revision", "")
    number = whole_number(text)
    if number is not None:
        return number
    if text:
        told = _("“%(value)s” is no revision: the newest one is shown.")
        messages.warning(request, told % {"value": shown(word=text)})
    return None
