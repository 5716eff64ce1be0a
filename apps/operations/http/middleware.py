"""What holds for every request: who asks, its id, and an honest answer while a server is away."""

import ipaddress
import logging
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import cast

import redis
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import gettext_lazy

from apps.api.problems import problem
from apps.operations.admission import routes
from apps.operations.process_log.log_lines import name_work
from apps.tenancy.database.connections import return_connection
from apps.tenancy.refused_body import Withheld, withheld_of

logger = logging.getLogger(__name__)
Handler = Callable[[HttpRequest], HttpResponseBase]
RETRY_AFTER_SECONDS = "5"
# What machines call answers in one language, whatever their libraries ask for.
MACHINES = ("/api/", "/loki/", "/v1/")


def request_id(get_response: Handler) -> Handler:
    """Give each answer an id that the logs carry, too."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        request.META["portal.request_id"] = own = secrets.token_hex(8)
        name_work(request_id=own)
        response = get_response(request)
        response["X-Request-ID"] = own
        return response

    return handle


def behind_proxy(get_response: Handler) -> Handler:
    """Take the sender's address from the proxy in front: the last one, which that proxy wrote."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        told = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()
        if told and _is_address(told):
            request.META["REMOTE_ADDR"] = told
        return get_response(request)

    return handle


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


class ReadersLanguage(LocaleMiddleware):
    """Speak the reader's language on pages: the one chosen, else what the browser asks for."""

    def process_request(self, request: HttpRequest) -> None:
        """Choose the language of this request."""
        if not request.path_info.startswith(MACHINES):
            super().process_request(request)
            return
        translation.activate(settings.LANGUAGE_CODE)
        request.LANGUAGE_CODE = settings.LANGUAGE_CODE


def connection_returned(get_response: Handler) -> Handler:
    """Give the connection of the database back once the answer is made, not once it is read.

    Whoever reads slowly would otherwise keep one of few.
    """

    def handle(request: HttpRequest) -> HttpResponseBase:
        try:
            return get_response(request)
        finally:
            return_connection()

    return handle


def files_in_steps(get_response: Handler) -> Handler:
    """Read files as they are sent: the framework would hold each whole for who reads slowly."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if isinstance(response, StreamingHttpResponse) and isinstance(request, ASGIRequest):
            _send_in_steps(response)
        return response

    return handle


def _send_in_steps(response: StreamingHttpResponse) -> None:
    if not response.is_async:
        parts = cast("Iterable[bytes]", response.streaming_content)
        response.streaming_content = _stepwise(iter(parts))


async def _stepwise(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    def take() -> bytes | None:
        return next(parts, None)

    while (part := await sync_to_async(take, thread_sensitive=True)()) is not None:
        yield part


def bodies_withheld(get_response: Handler) -> Handler:
    """Answer requests whose body was not read, but for those that their receiver answers."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        withheld = withheld_of(request=request)
        if withheld is None or withheld.is_open or request.path_info in routes.pushes():
            return get_response(request)
        if request.path_info.startswith(MACHINES):
            return _withheld_problem(withheld)
        return _withheld_page(request, withheld)

    return handle


def _withheld_problem(withheld: Withheld) -> HttpResponse:
    answer = problem(status=withheld.status, code=withheld.code, detail=withheld.detail)
    return _with_retry(answer, withheld)


def _withheld_page(request: HttpRequest, withheld: Withheld) -> HttpResponse:
    values = {
        "status": withheld.status,
        "title": TITLES[withheld.status],
        "text": TEXTS[withheld.status] % {"seconds": withheld.retry_after or 0},
    }
    answer = render(request, "withheld.html", values, status=withheld.status)
    return _with_retry(answer, withheld)


def _with_retry(answer: HttpResponse, withheld: Withheld) -> HttpResponse:
    if withheld.retry_after:
        answer["Retry-After"] = str(withheld.retry_after)
    return answer


TITLES = {
    408: gettext_lazy("The form did not arrive whole"),
    413: gettext_lazy("That is too much at once"),
    429: gettext_lazy("Too many attempts"),
    503: gettext_lazy("The portal is busy"),
}
TEXTS = {
    408: gettext_lazy("It stopped on the way, or came too slowly. Go back and send it again."),
    413: gettext_lazy(
        "What was sent is larger than this page takes. Send less; nothing was stored."
    ),
    429: gettext_lazy(
        "Too many attempts came from where you are. Wait %(seconds)s seconds, then go back and "
        "try again."
    ),
    503: gettext_lazy(
        "Too much is asked of it right now. Wait %(seconds)s seconds, then go back and try again; "
        "nothing was stored."
    ),
}


# The cache is on the queue's server: without it no failed attempts are counted.
AWAY = (OperationalError, InterfaceError, redis.ConnectionError, redis.TimeoutError)


class Unavailable:
    """Answer 503 with Retry-After, not 500, while the database or the cache is away."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Pass the request on."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Turn a lost database into an answer that makes senders come back."""
        if not isinstance(error, AWAY):
            return None
        logger.warning("database.away", extra={"exception": type(error).__name__})
        return unavailable_answer()


def unavailable_answer() -> JsonResponse:
    """Return the problem document of a portal whose database is away."""
    return problem(
        status=503,
        code="unavailable",
        detail=(
            "The portal can't reach its database or its cache. Nothing was stored; send it again."
        ),
        headers={"Retry-After": RETRY_AFTER_SECONDS},
    )
