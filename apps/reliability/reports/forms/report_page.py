"""A report as one file to print and keep, and the same as PDF."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Final

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.incidents.exports.printing.page import as_page
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.forms.cell_text import file_moment
from apps.reliability.reports.forms.layout import report_text
from apps.reliability.reports.forms.signature_text import issuer_text, signature_texts
from apps.reliability.reports.report_values import ReportHead, ReportView

TEMPLATES: Final = Path(__file__).with_name("templates")


def report_page(report: ReportView, *, title: str, origin: str, reader: str) -> str:
    """Return the page in the language that is active.

    `origin` and `reader` make the addresses of what its numbers count.
    """
    values = {
        "title": title,
        "language": get_language() or "en",
        "head": report.head,
        "issuer": issuer_text(report.head, _),
        "issued_at": file_moment(report.head.issued_at),
        "told": report_text(report.document, changes=report.changes, translate=_),
        "signatures": signature_texts(report, _),
        "is_newest": report.is_newest,
        "inside": f"{origin}/o/{reader}",
    }
    return as_page(templates=TEMPLATES, name="report.html", values=values)


def report_title(head: ReportHead, *, organization: str, day: Callable[[date], str] = str) -> str:
    """Return what a report is called, in the language that is active."""
    is_own = head.cluster is None or head.audience is Audience.OWN
    return _("Report of %(of)s, %(first)s to %(last)s") % {
        "of": organization if is_own or head.cluster is None else head.cluster.name,
        "first": day(head.first_day),
        "last": day(head.last_day),
    }
