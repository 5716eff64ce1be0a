"""Pages, their files and JSON packed for whoever takes them so.

What is sent piece by piece while it comes to be (streams, exports) stays as it is: packing would
hold pieces back. So does a part of a file that was asked for by its place.
"""

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

PACKED: Final = frozenset(
    {
        *("text/html", "text/css", "text/javascript", "application/javascript"),
        *("image/svg+xml", "application/json", "application/problem+json"),
    }
)
COMPLETE: Final = frozenset({200, 201, 400, 403, 404, 409, 422})

Handler = Callable[[HttpRequest], HttpResponseBase]


class _Public(GZipMiddleware):
    """Packs what holds no secret, so that its length need not be disguised."""

    max_random_bytes = 0


class Compressed(GZipMiddleware):
    """Django's own packing, whose length nobody can guess a secret by, of these kinds alone."""

    def __init__(self, get_response: Handler) -> None:
        super().__init__(get_response)
        self._public = _Public(get_response)

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Return the answer, packed where that is of use."""
        kind = response.get("Content-Type", "").partition(";")[0].strip()
        comes_in_pieces = response.streaming and not isinstance(response, FileResponse)
        if kind not in PACKED or response.status_code not in COMPLETE or comes_in_pieces:
            return response
        is_file = request.path_info.startswith(settings.STATIC_URL)
        pack = self._public.process_response if is_file else super().process_response
        packed: HttpResponseBase = pack(request, response)
        return packed
