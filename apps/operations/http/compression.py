"""Pages, their files and JSON packed for whoever takes them so.

What is sent piece by piece while it comes to be (streams, exports) stays as it is: packing would
hold pieces back. So does a part of a file that was asked for by its place.
"""

from typing import Final

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


class Compressed(GZipMiddleware):
    """Django's own packing, whose length nobody can guess a secret by, of these kinds alone."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Return the answer, packed where that is of use."""
        kind = response.get("Content-Type", "").partition(";")[0].strip()
        comes_in_pieces = response.streaming and not isinstance(response, FileResponse)
        if kind not in PACKED or response.status_code not in COMPLETE or comes_in_pieces:
            return response
        packed: HttpResponseBase = super().process_response(request, response)
        return packed
