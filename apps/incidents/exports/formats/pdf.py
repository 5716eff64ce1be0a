"""PDF: the HTML page on paper, where what makes it is installed (`pip install faultline[pdf]`)."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from apps.incidents.exports.export_format import ExportFormat, Header, IncidentDocument, Json
from apps.incidents.exports.printing.pdf import as_pdf, pdf_lacks
from apps.incidents.exports.sheet.document import incident_page, incidents_page

# Laying out takes seconds and memory for each thousand rows; what is left out is counted there.
MOST_MOMENTS: Final = 400
MOST_INCIDENTS: Final = 500


def _one(header: Header, document: IncidentDocument) -> Iterator[bytes]:
    yield as_pdf(html=incident_page(header, document, most_moments=MOST_MOMENTS))


def _many(header: Header, incidents: Iterator[Json]) -> Iterator[bytes]:
    found = list(islice(incidents, MOST_INCIDENTS + 1))
    page = incidents_page(header, found[:MOST_INCIDENTS], is_cut=len(found) > MOST_INCIDENTS)
    yield as_pdf(html=page)


PDF = ExportFormat(
    name="pdf",
    label="PDF",
    order=6,
    media_type="application/pdf",
    is_text=False,
    is_binary=True,
    draws_charts=True,
    lacks=pdf_lacks,
    one=_one,
    many=_many,
)
