"""A report as Markdown, for tickets and chats. No text of it is markup."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.incidents.exports.formats.markdown import plain
from apps.reliability.reports.forms import words
from apps.reliability.reports.forms.cell_text import CellText
from apps.reliability.reports.forms.layout import ReportText, TableText, report_text
from apps.reliability.reports.forms.signature_text import (
    SignatureText,
    issuer_text,
    signature_texts,
)
from apps.reliability.reports.report_values import ReportView


def report_markdown(report: ReportView, *, title: str) -> str:
    """Return the whole report in the language that is active."""
    told = report_text(report.document, changes=report.changes, translate=_)
    return "\n".join(_lines(report, told, title)) + "\n"


def _lines(report: ReportView, told: ReportText, title: str) -> Iterator[str]:
    yield f"# {plain(title)}"
    yield ""
    yield from _head(report, told)
    yield ""
    columns = (_("Figure"), _("Value"), _("Interval, 95 %"), "n")
    yield "| " + " | ".join(columns) + " |"
    yield "| --- | --- | --- | --- |"
    for each in told.figures:
        yield f"| {plain(each.name)} | {plain(each.value)} | {plain(each.interval)} | {each.n} |"
    for table in told.tables:
        yield from _table(table)
    yield from _list(_("Withheld"), told.withheld)
    yield from _list(_("What changed since the revision before"), told.changes)
    signatures = signature_texts(report, _)
    yield from _list(_("Signatures"), tuple(map(_signature, signatures)))


def _head(report: ReportView, told: ReportText) -> Iterator[str]:
    head = report.head
    facts = (
        (_("Days (UTC)"), _("%(first)s to %(last)s") % _days(told)),
        (_("Counts"), told.audience),
        (_("Report"), head.public_id),
        (_("Revision"), str(head.revision)),
        (_("Issued (UTC)"), f"{head.issued_at:%Y-%m-%d %H:%M}"),
        (_("Issued by"), issuer_text(head, _)),
        ("SHA-256", head.digest),
    )
    for name, value in facts:
        yield f"- {plain(name)}: {plain(value)}"
    if told.is_simulated:
        yield f"- {plain(_('Simulated data'))}"
    if not told.is_over:
        yield f"- {plain(_('Its days were not over when it was issued.'))}"
    if not report.is_newest:
        yield f"- {plain(_('There is a newer revision of this report.'))}"


def _days(told: ReportText) -> dict[str, str]:
    return {"first": told.first_day, "last": told.last_day}


def _signature(told: SignatureText) -> str:
    said = ", ".join(filter(None, (told.stance, told.signed_at, told.signer)))
    reason = " ".join(told.reason.split())
    return f"{told.party}: {said}" + (f". {reason}" if reason else "")


def _table(table: TableText) -> Iterator[str]:
    yield ""
    yield f"## {plain(table.name)}"
    yield ""
    if not table.rows:
        yield plain(_(words.EMPTY))
        return
    yield "| " + " | ".join(plain(each.text) for each in table.headings) + " |"
    yield "|" + " --- |" * len(table.headings)
    for row in table.rows:
        yield "| " + " | ".join(plain(_words(each)) for each in row) + " |"


def _words(cell: CellText) -> str:
    more = ngettext("and %(n)s more", "and %(n)s more", cell.more) % {"n": cell.more}
    ids = ", ".join(cell.incidents)
    return cell.text or (f"{ids} {more}" if cell.more else ids)


def _list(title: str, texts: tuple[str, ...]) -> Iterator[str]:
    if texts:
        yield ""
        yield f"## {plain(title)}"
        yield ""
        yield from (f"- {plain(each)}" for each in texts)
