"""Work that a request leaves for when its answer is out, so that its time tells nobody anything."""

import logging
from collections.abc import Callable

from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase

logger = logging.getLogger(__name__)
Act = Callable[[], object]
Handler = Callable[[HttpRequest], HttpResponseBase]
KEY = "portal.afterwards"


def afterwards(*, request: HttpRequest, act: Act) -> None:
    """Do something once the answer to this request is out."""
    request.META.setdefault(KEY, []).append(act)


def answer_first(get_response: Handler) -> Handler:
    """Do what was left for afterwards when the server closes the answer."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        acts: list[Act] = request.META.get(KEY, [])
        if acts:
            close = response.close

            def close_after() -> None:
                _do(acts)
                close()

            response.close = close_after  # type: ignore[method-assign]
        return response

    return handle


def _do(acts: list[Act]) -> None:
    while acts:
        try:
            acts.pop(0)()
        except DatabaseError as error:
            logger.exception("afterwards.lost", exc_info=error)
