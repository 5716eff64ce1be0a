"""What is kept of each request: one line, and counts by route. Never its address as it was asked.

An address may hold a one-time link or a search, so the pattern of its route stands for it.
"""

import logging
from collections.abc import Callable
from http import HTTPStatus
from time import monotonic

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from prometheus_client import Histogram

logger = logging.getLogger("portal.access")
Handler = Callable[[HttpRequest], HttpResponseBase]

# Since this process started.
SECONDS = Histogram(
    "portal_request_seconds",
    "Time until this web process began its answer, by route and class of status.",
    labelnames=["route", "status"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
    registry=None,
)
# Asked every few seconds by machines that watch: told only where somebody looks closely.
QUIET = ("healthz", "readyz", "metrics", "static")


def told(get_response: Handler) -> Handler:
    """Write one line and add one count for each answer."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        began = monotonic()
        response = get_response(request)
        _tell(request, status=response.status_code, seconds=monotonic() - began)
        return response

    return handle


def _tell(request: HttpRequest, *, status: int, seconds: float) -> None:
    route = _route(request)
    SECONDS.labels(route=route, status=f"{status // 100}xx").observe(seconds)
    logger.log(
        _level(route=route, status=status),
        "request.answered",
        extra={
            "method": request.method if request.method in _METHODS else "other",
            "route": route,
            "organization": _organization(request),
            "status": status,
            "seconds": round(seconds, 4),
        },
    )


_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


def _route(request: HttpRequest) -> str:
    if request.path_info.startswith("/static/"):
        return "static"
    return request.resolver_match.route if request.resolver_match else "unknown"


def _organization(request: HttpRequest) -> str | None:
    """Return whose page was asked for, or whose credential pushed."""
    pushed = request.META.get("portal.organization")
    asked = request.resolver_match.kwargs.get("org") if request.resolver_match else None
    return pushed or asked


def _level(*, route: str, status: int) -> int:
    if status >= 500 and status != HTTPStatus.NOT_IMPLEMENTED:  # what is not installed is no fault
        return logging.WARNING
    return logging.DEBUG if route in QUIET else logging.INFO
