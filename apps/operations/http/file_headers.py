"""Sheets and scripts go without the headers that only documents obey: a page has a dozen."""

from collections.abc import Callable
from typing import Final

from django.conf import settings
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase

# Not pictures: one that is opened by itself is a document.
KINDS: Final = frozenset({"text/css", "text/javascript", "application/javascript"})
OF_DOCUMENTS: Final = (
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Referrer-Policy",  # of what they ask for: all of it is the portal's own
)

Handler = Callable[[HttpRequest], HttpResponseBase]


def files_bare(get_response: Handler) -> Handler:
    """Send them without."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        kind = response.get("Content-Type", "").partition(";")[0].strip()
        is_file = request.path_info.startswith(settings.STATIC_URL)
        if is_file and isinstance(response, FileResponse) and kind in KINDS:
            for name in OF_DOCUMENTS:
                response.headers.pop(name, None)
        return response

    return handle
