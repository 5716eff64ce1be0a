"""Bodies that have to be held as a whole, in bounded memory."""

from django.conf import settings
from django.http import HttpRequest

from apps.telemetry.formats.compression import coding
from apps.telemetry.formats.lines.complaints import NothingUsable, Torn

# What has to be held at once; senders' batches have about a mebibyte.
LIMIT_BYTES = 16 * 2**20


def whole_body(request: HttpRequest) -> bytes:
    """Return a body, unpacked if its Content-Encoding is gzip; raise TooBig, NothingUsable."""
    limit = min(LIMIT_BYTES, settings.PORTAL_MAX_DECODED_BYTES)
    source = coding.steps(body=request, limit=min(limit, settings.PORTAL_MAX_BODY_BYTES))
    named = request.headers.get("Content-Encoding", "").lower()
    coded = "gzip" if named == "gzip" else "identity"
    try:
        return b"".join(coding.decoded(source=source, coding=coded, limit=limit))
    except Torn as error:
        raise NothingUsable(str(error)) from error


def json_body(request: HttpRequest) -> bytes:
    """Return a JSON body; other codings than gzip are refused by name."""
    named = request.headers.get("Content-Encoding", "").lower()
    if named not in {"", "identity", "gzip"}:
        raise NothingUsable(f"Content-Encoding {named!r} is not taken; send plain or gzip")
    return whole_body(request)
