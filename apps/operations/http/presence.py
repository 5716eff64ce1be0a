"""That somebody reads: whoever pushes more than its share makes room for that."""

from collections.abc import Callable
from time import monotonic
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.telemetry.limits.push_turns import SHARES

Handler = Callable[[HttpRequest], HttpResponseBase]
READ: Final = ("/o/", "/api/v1/o/", "/sign-in/")


def noted(get_response: Handler) -> Handler:
    """Note when pages and the interface were asked for last."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(READ):
            SHARES.note_reader(at=monotonic())
        return get_response(request)

    return handle
