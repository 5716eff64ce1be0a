"""JSON: one document, written piece by piece."""

import json
from collections.abc import Iterator
from typing import Any

from rest_framework.utils.encoders import JSONEncoder

from apps.incidents.exports.export_format import ExportFormat, Header, IncidentDocument, Json


def _one(header: Header, document: IncidentDocument) -> Iterator[bytes]:
    yield _opening(header)
    yield b'"incident":' + _words(document.incident)
    for name in (
        *("hypotheses", "missing", "timeline", "annotations"),
        *("hand_overs", "resolutions", "shared_sessions", "changes"),
    ):
        yield f',"{name}":['.encode()
        yield from _listed(iter(getattr(document, name)))
        yield b"]"
    yield b"}\n"


def _many(header: Header, incidents: Iterator[Json]) -> Iterator[bytes]:
    yield _opening(header) + b'"incidents":['
    yield from _listed(incidents)
    yield b"]}\n"


def _opening(header: Header) -> bytes:
    said = {
        "schema": header.schema,
        "organization": header.organization,
        "exported_at": header.exported_at,
    }
    return _words(said)[:-1] + b","


def _listed(items: Iterator[Json]) -> Iterator[bytes]:
    comma = b""
    for item in items:
        yield comma + _words(item)
        comma = b","


def _words(value: Any) -> bytes:
    return json.dumps(value, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":")).encode()


JSON = ExportFormat(
    name="json",
    label="JSON",
    order=1,
    media_type="application/json",
    is_text=False,
    one=_one,
    many=_many,
)
