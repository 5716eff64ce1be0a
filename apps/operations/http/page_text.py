"""Signs in strangers' text that change what stands around it on a page: shown as unreadable ones.

A name with U+202E in it turns round the letters of the sentence behind it, another party's words
with them. Exports and REST keep what was sent.
"""

import re
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from apps.diagnosis.spelling import OBEYED

PAGE: Final = "text/html"
_KEPT: Final = frozenset(map(ord, "\t\r\n"))
_UNREADABLE: Final = "\N{REPLACEMENT CHARACTER}"
# Nearly no page has any: a search costs a tenth of a translation.
HARMFUL: Final = re.compile(f"[{re.escape(''.join(map(chr, sorted(OBEYED - _KEPT))))}]")


def harmless(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Send pages without signs that browsers would obey."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        kind = response.get("Content-Type", "").partition(";")[0]
        if isinstance(response, HttpResponse) and kind == PAGE and response.charset == "utf-8":
            text = response.content.decode("utf-8", "replace")
            if HARMFUL.search(text):
                response.content = HARMFUL.sub(_UNREADABLE, text).encode()
        return response

    return handle
