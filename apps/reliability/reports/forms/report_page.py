"""A report as one file to print and keep, and the same as PDF."""

from pathlib import Path
from typing import Final

from apps.incidents.exports.printing.page import as_page
from apps.reliability.reports.forms.layout import report_text
from apps.reliability.reports.report_values import ReportView

TEMPLATES: Final = Path(__file__).with_name("templates")


def report_page(report: ReportView, *, title: str, origin: str, reader: str) -> str:
    """Return the page; `origin` and `reader` make the addresses of what its numbers count."""
    values = {
        "title": title,
        "head": report.head,
        "issued_at": f"{report.head.issued_at:%Y-%m-%d %H:%M} UTC",
        "told": report_text(report.document, changes=report.changes),
        "is_newest": report.is_newest,
        "inside": f"{origin}/o/{reader}",
    }
    return as_page(templates=TEMPLATES, name="report.html", values=values)


def report_title(report: ReportView, *, organization: str) -> str:
    """Return what a report is called, in English."""
    head = report.head
    of = head.cluster.name if head.cluster else organization
    return f"Report of {of}, {head.first_day:%d %b %Y} to {head.last_day:%d %b %Y}"
