"""Reports as files to print, to keep and to hand on."""

from collections.abc import Iterator

from django.conf import settings
from django.http import StreamingHttpResponse
from django.utils import translation
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.api.exporting import stream
from apps.api.v1.queries import read_query, takes
from apps.api.v1.serializers.reliability.reports import ReportFileSerializer
from apps.api.v1.views.incident.exports import FormatNotInstalled, answers_of, require_format
from apps.api.v1.views.reliability.reports import ReportsView
from apps.incidents.exports.export_format import ExportFormat
from apps.incidents.exports.formats.html import HTML
from apps.incidents.exports.formats.markdown import MARKDOWN
from apps.incidents.exports.formats.pdf import PDF
from apps.incidents.exports.printing.letters import letters_lack
from apps.incidents.exports.printing.pdf import as_pdf
from apps.reliability.reports.forms.report_markdown import report_markdown
from apps.reliability.reports.forms.report_page import report_page, report_title
from apps.reliability.reports.report_values import ReportView

FORMS = (HTML, MARKDOWN, PDF)


class ReportFile(ReportsView):
    """A report as a file."""

    form: ExportFormat

    def file(self, public_id: str) -> StreamingHttpResponse:
        """Return the answer that sends it."""
        language = read_query(ReportFileSerializer, request=self.request)["language"]
        report = self.report(public_id)
        require_format(self.form)
        if self.form is PDF and (lacking := letters_lack(language)):
            raise FormatNotInstalled(lacking)
        self.note("report.exported", f"{public_id} {self.form.name}")
        name = f"{public_id}-{report.head.revision}"
        chunks = self.chunks(report, language)
        return stream(request=self.request._request, chunks=chunks, form=self.form, name=name)  # noqa: SLF001  how it is served

    def chunks(self, report: ReportView, language: str) -> Iterator[bytes]:
        """Yield the file in one language, made while no scope is held."""
        with translation.override(language):
            made = self.body(report)
        yield made

    def body(self, report: ReportView) -> bytes:
        """Return the file in the language that is active."""
        organization = self.actor.organization
        title = report_title(report.head, organization=organization.name)
        if self.form is MARKDOWN:
            return report_markdown(report, title=title).encode()
        page = report_page(
            report, title=title, origin=settings.PORTAL_BASE_URL, reader=organization.slug
        )
        return as_pdf(html=page) if self.form is PDF else page.encode()


def report_as(form: ExportFormat) -> type[ReportFile]:
    """Return the view that sends a report in one format."""
    chosen = form

    class ReportAs(ReportFile):
        """One report as a file of one format."""

        form = chosen

        @takes(*ReportFileSerializer().fields)
        @extend_schema(
            responses=answers_of(chosen),
            parameters=[ReportFileSerializer],
            operation_id=f"report_export_{chosen.name}",
        )
        def get(self, request: Request, organization: str, public_id: str) -> StreamingHttpResponse:
            """Send a revision as it was issued."""
            return self.file(public_id)

    return ReportAs
