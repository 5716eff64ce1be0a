"""One JSON object a line, each with the section that it is of: for pipelines that read logs."""

import json
from collections.abc import Iterator

from rest_framework.utils.encoders import JSONEncoder

from apps.incidents.exports.export_format import ExportFormat, Header, IncidentDocument, Json

LINE_ENDS = {ord(each): f"\\u{ord(each):04x}" for each in "\x85\u2028\u2029"}
SECTIONS = {
    "hypotheses": "hypothesis",
    "missing": "missing",
    "timeline": "timeline",
    "annotations": "annotation",
    "hand_overs": "hand-over",
    "resolutions": "resolution",
    "shared_sessions": "session",
    "changes": "change",
}


def _one(header: Header, document: IncidentDocument) -> Iterator[bytes]:
    incident = document.incident
    yield _opening(header)
    yield _line({"section": "incident", **incident})
    for name, section in SECTIONS.items():
        for each in getattr(document, name):
            # A hand-over and the like have an id of their own.
            yield _line({"section": section, "incident": incident["id"], **each})


def _many(header: Header, incidents: Iterator[Json]) -> Iterator[bytes]:
    yield _opening(header)
    for incident in incidents:
        yield _line({"section": "incident", **incident})


def _opening(header: Header) -> bytes:
    return _line(
        {
            "section": "export",
            "schema": header.schema,
            "organization": header.organization,
            "exported_at": header.exported_at,
        }
    )


def _line(value: Json) -> bytes:
    """Return one line, also for readers to whom Unicode's other line ends are some."""
    text = json.dumps(value, cls=JSONEncoder, ensure_ascii=False)
    return text.translate(LINE_ENDS).encode() + b"\n"


NDJSON = ExportFormat(
    name="ndjson",
    label="NDJSON",
    order=3,
    media_type="application/x-ndjson",
    is_text=True,
    one=_one,
    many=_many,
)
