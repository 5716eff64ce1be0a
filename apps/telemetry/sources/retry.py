"""How a server is treated: what is easy for it, when a busy one is asked again, and in words."""

import random
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

from apps.diagnosis.input_values import whole_number
from apps.telemetry.sources import answer_checks
from apps.tenancy.outbound.policy import Policy, address_of, is_public

# Asked again after a pause: a proxy that restarts, a server that is asked by too many.
BUSY: Final = frozenset({429, 502, 503, 504})
MOST_ATTEMPTS: Final = 3
FIRST_PAUSE_SECONDS: Final = 0.25
LONGEST_PAUSE_SECONDS: Final = 5.0


def pause_before(*, attempt: int, retry_after: str | None) -> float:
    """Return the seconds to wait before attempt 1, 2 …: what the server wishes, else twice as long.

    With jitter, so that readers who were refused together don't come back together.
    """
    wished = _seconds(retry_after)
    pause = FIRST_PAUSE_SECONDS * 2 ** (attempt - 1) if wished is None else wished
    return min(pause, LONGEST_PAUSE_SECONDS) * random.uniform(1.0, 1.5)  # noqa: S311  no secret


def _seconds(text: str | None) -> float | None:
    # A date there is in the server's clock: not worth the trouble.
    return whole_number((text or "").strip())


def encoding_for(*, url: str, policy: Policy) -> str:
    """Return how answers shall travel.

    On a LAN the server's compression costs more time than the bytes it saves: Prometheus sends
    10 MB as they are in 0.1 s and takes a second to compress them. Over the internet it pays.
    """
    parts = urlsplit(url)
    try:
        found = policy.resolver(parts.hostname or "", parts.port or 80)
        is_far = any(is_public(address_of(text)) for text in found)
    except (OSError, UnicodeError, ValueError):
        is_far = False  # it will be told when the connection is tried
    return "gzip" if is_far else "identity"


def server_second(date: str | None) -> float | None:
    """Return the time that a server's `Date` header tells, in Unix seconds."""
    try:
        return parsedate_to_datetime(date).timestamp() if date else None
    except (TypeError, ValueError):
        return None


def status_words(status: int) -> str:
    """Return what an HTTP status means for whoever connected the source."""
    if status in {401, 403}:
        return f"HTTP {status}: the credential is not accepted"
    if 300 <= status < 400:
        return f"HTTP {status}: it redirects; enter the URL it leads to"
    return f"HTTP {status}"


def http_words(text: str) -> str:
    """Return the status out of the client's message, never the page it quotes."""
    words = text.split()
    status = next((number for word in words if (number := whole_number(word)) is not None), None)
    return status_words(status) if status is not None else "the API answered with an error"


def refusal(body: bytes) -> str:
    """Return why a server refused a query, in its own words."""
    try:
        answer_checks.results(body, kind="matrix")
    except answer_checks.QueryRefused as error:
        return str(error)
    except answer_checks.AnswerUnreadable:
        return "refused"
    return "refused"
