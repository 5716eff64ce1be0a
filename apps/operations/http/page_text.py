"""Signs in strangers' text that change what stands around it on a page: shown as unreadable ones.

A name with U+202E in it turns round the letters of the sentence behind it, another party's words
with them. Exports and REST keep what was sent.
"""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from apps.diagnosis.spelling import OBEYED

PAGE: Final = "text/html"
_KEPT: Final = frozenset(map(ord, "\t\r\n"))
HARMLESS: Final = dict.fromkeys(OBEYED - _KEPT, "\N{REPLACEMENT CHARACTER}")


def harmless(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Send pages without signs that browsers would obey."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        kind = response.get("Content-Type", "").partition(";")[0]
        if isinstance(response, HttpResponse) and kind == PAGE and response.charset == "utf-8":
            text = response.content.decode("utf-8", "replace")
            safe = text.translate(HARMLESS)
            if safe != text:
                response.content = safe.encode()
        return response

    return handle
