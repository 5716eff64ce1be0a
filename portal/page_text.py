"""Signs in strangers' text that change what stands around it on a page: shown as unreadable ones.

A name with U+202E in it turns round the letters of the sentence behind it, another party's words
with them. Exports and REST keep what was sent.
"""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

PAGE: Final = "text/html"
# Embeddings, overrides and isolates; controls but tab and line ends.
_OBEYED: Final = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0x80, 0xA0), 0x7F)
_CONTROLS: Final = (each for each in range(0x20) if each not in {0x09, 0x0A, 0x0D})
HARMLESS: Final = dict.fromkeys((*_OBEYED, *_CONTROLS), "\N{REPLACEMENT CHARACTER}")


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
