"""Problem documents (RFC 9457): what everything that machines call answers when it refuses."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import JsonResponse

from apps.diagnosis.spelling import sayable

MEDIA_TYPE: Final = "application/problem+json"
# How all codes of refusals are written, those of single lines, too.
CODE: Final = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$"
TITLES: Final = {
    400: "Bad request",
    401: "Not signed in",
    403: "Refused",
    404: "Not found",
    405: "Method not allowed",
    408: "Too slow",
    409: "Conflict",
    413: "Too big",
    415: "Unsupported media type",
    422: "Not the same request",
    429: "Too many requests",
    501: "Not installed",
    503: "Service unavailable",
}


def document(*, status: int, code: str, detail: str, **more: Any) -> dict[str, Any]:
    """Return the document of a refusal; `more` are fields that only some refusals have."""
    return {
        "type": "about:blank",
        "title": TITLES.get(status, "Error"),
        "status": status,
        "code": code,
        "detail": sayable(text=detail),
        **more,
    }


def problem(
    *,
    status: int,
    code: str,
    detail: str,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> JsonResponse:
    """Return the answer that carries a document."""
    return JsonResponse(
        document(status=status, code=code, detail=detail, **more),
        status=status,
        headers=dict(headers or {}),
        content_type=MEDIA_TYPE,
    )
