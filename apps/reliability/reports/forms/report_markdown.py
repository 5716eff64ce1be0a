"""A report as Markdown, for tickets and chats. No text of it is markup."""

from collections.abc import Iterator

from apps.incidents.exports.formats.markdown import plain
from apps.reliability.reports.forms.cell_text import CellText
from apps.reliability.reports.forms.layout import ReportText, TableText, report_text
from apps.reliability.reports.report_values import ReportView


def report_markdown(report: ReportView, *, title: str) -> str:
    """Return the whole report."""
    told = report_text(report.document, changes=report.changes)
    return "\n".join(_lines(report, told, title)) + "\n"


def _lines(report: ReportView, told: ReportText, title: str) -> Iterator[str]:
    head = report.head
    yield f"# {plain(title)}"
    yield ""
    yield f"- Days: {told.first_day} to {told.last_day}, UTC"
    yield f"- Counts: {plain(told.audience)}"
    yield f"- Report: {head.public_id}, revision {head.revision}"
    yield f"- Issued: {head.issued_at:%Y-%m-%d %H:%M} UTC"
    yield f"- Issued by: {plain(head.issuer.name)}"
    yield f"- SHA-256: {head.digest}"
    if told.is_simulated:
        yield "- Data: simulated"
    if not told.is_over:
        yield "- The days were not over when it was issued"
    yield ""
    yield "| Figure | Value | 95 % interval | n |"
    yield "| --- | --- | --- | --- |"
    for each in told.figures:
        yield f"| {plain(each.name)} | {plain(each.value)} | {plain(each.interval)} | {each.n} |"
    for table in told.tables:
        yield from _table(table)
    yield from _list("Withheld", told.withheld)
    yield from _list("What changed since the revision before", told.changes)


def _table(table: TableText) -> Iterator[str]:
    yield ""
    yield f"## {plain(table.name)}"
    yield ""
    if not table.rows:
        yield "Nothing of it in these days."
        return
    yield "| " + " | ".join(plain(each.text) for each in table.headings) + " |"
    yield "|" + " --- |" * len(table.headings)
    for row in table.rows:
        yield "| " + " | ".join(plain(_words(each)) for each in row) + " |"


def _words(cell: CellText) -> str:
    more = f" and {cell.more} more" if cell.more else ""
    return cell.text or ", ".join(cell.incidents) + more


def _list(title: str, texts: tuple[str, ...]) -> Iterator[str]:
    if texts:
        yield ""
        yield f"## {title}"
        yield ""
        yield from (f"- {plain(each)}" for each in texts)
