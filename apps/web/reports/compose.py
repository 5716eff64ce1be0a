"""Reports as their pages show them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from apps.incidents.exports.formats.html import HTML
from apps.incidents.exports.formats.markdown import MARKDOWN
from apps.incidents.exports.formats.pdf import PDF
from apps.incidents.exports.printing.letters import letters_lack
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.counting.changes import Change
from apps.reliability.reports.forms import words
from apps.reliability.reports.forms.layout import change_text, report_text
from apps.reliability.reports.forms.report_page import report_title
from apps.reliability.reports.forms.signature_text import issuer_text, signature_texts
from apps.reliability.reports.report_values import ReportHead, ReportView, ScheduleView
from apps.web.display.choices import SegmentLink
from apps.web.display.instants import calendar_day, in_full
from apps.web.reliability.asked import AskedPeriod
from apps.web.reports.page import ReportFileLink, ReportPage, ReportRow, ScheduleRow
from apps.web.shell.address_filters import link

MOST_REVISIONS: Final = 12


def report_row(head: ReportHead, *, organization: str) -> ReportRow:
    """Return a report as the list shows it."""
    return ReportRow(
        public_id=head.public_id,
        revision=head.revision,
        of=head.cluster.name if head.cluster else organization,
        audience=_(words.AUDIENCES[head.audience.value]),
        days=days_text(head.first_day, head.last_day),
        issued_at=in_full(head.issued_at),
        issuer=issuer_text(head, _),
        signed=_signed(head),
        is_simulated=head.is_simulated,
    )


def _signed(head: ReportHead) -> str:
    count = head.signatures
    told = _("%(settled)d of %(parties)d settled") % {
        "settled": count.settled,
        "parties": count.parties,
    }
    if not count.dissenting:
        return told
    dissent = ngettext("%(n)d dissents", "%(n)d dissent", count.dissenting)
    return f"{told}, {dissent % {'n': count.dissenting}}"


def days_text(first: date, last: date) -> str:
    """Return the days of a report, both in it."""
    return _("%(first)s to %(last)s") % {
        "first": calendar_day(first),
        "last": calendar_day(last),
    }


def usual_ranges(today: date) -> tuple[tuple[str, date, date], ...]:
    """Return the last whole week and month, and the last 30 days: a name, the first, the last."""
    monday = today - timedelta(days=today.weekday())
    first = today.replace(day=1)
    month = (first - timedelta(days=1)).replace(day=1)
    day = timedelta(days=1)
    return (
        (_("Last week"), monday - 7 * day, monday - day),
        (_("Last month"), month, first - day),
        (_("Last 30 days"), today - 30 * day, today - day),
    )


def range_links(asked: AskedPeriod, *, today: date) -> tuple[SegmentLink, ...]:
    """Return the usual days, each chosen by one press."""
    return tuple(
        SegmentLink(
            text=name,
            query=f"{replace(asked, first_day=first, last_day=last).days_query}#issue",
            is_on=(first, last) == (asked.first_day, asked.last_day),
        )
        for name, first, last in usual_ranges(today)
    )


def schedule_row(schedule: ScheduleView, *, organization: str, sends_mail: bool) -> ScheduleRow:
    """Return a schedule in words."""
    names = {"weekly": _("every week"), "monthly": _("every month")}
    of = schedule.cluster.name if schedule.cluster else organization
    name = _("%(of)s, %(rhythm)s: %(audience)s") % {
        "of": of,
        "rhythm": names.get(schedule.rhythm, schedule.rhythm),
        "audience": _(words.AUDIENCES[schedule.audience.value]),
    }
    people = schedule.recipients if sends_mail else map(_unreached, schedule.recipients)
    told = [*people, *([_("the webhook")] if schedule.to_webhook else [])]
    return ScheduleRow(
        public_id=schedule.public_id,
        name=name,
        recipients=", ".join(told) or _("nobody is told"),
        next_at=in_full(schedule.next_at),
    )


def _unreached(name: str) -> str:
    return _("%(name)s: not told, this portal has no mail server") % {"name": name}


def report_page(
    report: ReportView,
    *,
    organization: str,
    slug: str,
    moved: Sequence[Change] | None,
    may_issue: bool,
) -> ReportPage:
    """Return a report in the reader's language."""
    head = report.head
    return ReportPage(
        public_id=head.public_id,
        revision=head.revision,
        newest_revision=report.newest_revision,
        title=report_title(head, organization=organization, day=calendar_day),
        told=report_text(report.document, changes=report.changes, translate=_, moment=_moment),
        digest=head.digest,
        issued_at=in_full(head.issued_at),
        issuer=issuer_text(head, _),
        files=_files(slug, report),
        csv_address=_address("csv", slug, report),
        revisions=_revisions(report),
        moved=None if moved is None else tuple(change_text(each, _) for each in moved),
        may_issue=may_issue,
        signatures=signature_texts(report, _, moment=_moment),
        may_sign=report.may_sign,
        is_intact=report.is_intact,
        is_joint=head.audience is Audience.JOINT,
    )


def _moment(at: datetime) -> str:
    return f"{in_full(at)} UTC"


def _files(slug: str, report: ReportView) -> tuple[ReportFileLink, ...]:
    language = get_language() or "en"
    made = tuple(
        ReportFileLink(
            label=form.label,
            address=_address(form.name, slug, report) + f"&language={language}",
            is_lacking=bool(form.lacks() or (form is PDF and letters_lack(language))),
        )
        for form in (HTML, PDF, MARKDOWN)
    )
    address = reverse("v1:report", args=[slug, report.head.public_id])
    query = f"?revision={report.head.revision}"
    return (*made, ReportFileLink(label="JSON", address=f"{address}{query}", is_lacking=False))


def _address(form: str, slug: str, report: ReportView) -> str:
    address = reverse(f"v1:report_export_{form}", args=[slug, report.head.public_id])
    return f"{address}?revision={report.head.revision}"


def _revisions(report: ReportView) -> tuple[SegmentLink, ...]:
    newest = report.newest_revision
    if newest == 1:
        return ()
    return tuple(
        SegmentLink(
            text=_("Revision %(n)d") % {"n": each},
            query=link(revision=str(each)),
            is_on=each == report.head.revision,
        )
        for each in range(max(1, newest - MOST_REVISIONS + 1), newest + 1)
    )
