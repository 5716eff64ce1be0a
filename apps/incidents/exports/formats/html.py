"""HTML: one file to open anywhere and to print. It asks nobody for anything."""

from collections.abc import Iterator

from apps.incidents.exports.export_format import ExportFormat, Header, IncidentDocument, Json
from apps.incidents.exports.sheet.document import incident_page, incidents_page


def _one(header: Header, document: IncidentDocument) -> Iterator[bytes]:
    yield incident_page(header, document).encode()


def _many(header: Header, incidents: Iterator[Json]) -> Iterator[bytes]:
    yield incidents_page(header, incidents).encode()


HTML = ExportFormat(
    name="html",
    label="HTML",
    order=5,
    media_type="text/html; charset=utf-8",
    is_text=True,
    draws_charts=True,
    one=_one,
    many=_many,
)
