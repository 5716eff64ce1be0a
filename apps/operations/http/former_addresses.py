"""Addresses of former versions: pages lead on for good, the interface answers under both names."""

import re
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase

PAGE: Final = re.compile(
    r"^(/o/[^/?]+/(?:settings/|incidents/[^/?]+/))((?<=settings/)(?:notices|keeping|you)"
    r"|(?<!settings/)notes)(?=[/?]|$)"
)
INTERFACE: Final = re.compile(r"^(/api/v1/o/[^/]+/)(notices/wishes|notices|episodes)(?=/|$)")
NOW: Final = {
    "notices": "notifications",
    "keeping": "retention",
    "you": "account",
    "notes": "annotations",
    "notices/wishes": "notifications/preferences",
    "episodes": "warnings",
}


def led_on(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Send readers of a former page to where it lies now; a form arrives there as it was sent."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        wanted = request.get_full_path()
        there = PAGE.sub(_now, wanted)
        if there != wanted:
            return HttpResponsePermanentRedirect(there, preserve_request=True)
        request.path_info = INTERFACE.sub(_now, request.path_info)
        return get_response(request)

    return handle


def _now(found: re.Match[str]) -> str:
    return f"{found[1]}{NOW[found[2]]}"
