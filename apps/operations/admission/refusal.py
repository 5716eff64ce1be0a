"""A request that is not let in: raised at the edge, answered by the application behind it.

The application is asked to answer without the body, so that a refusal looks like its others: the
protocol of the sender, the language of the reader, an id, a line of the log.
"""

from collections.abc import Mapping
from typing import Any, Final

from apps.tenancy.refused_body import SCOPE_KEY, Withheld

TOO_BIG: Final = "too_big"
TOO_SLOW: Final = "too_slow"
BUSY: Final = "busy"
TOO_MANY: Final = "too_many_requests"
COOKIES: Final = 8 * 2**10  # bytes: reading them takes more than their length


class RequestRefused(Exception):
    """Raised before an answer began; says what to answer."""

    def __init__(self, withheld: Withheld) -> None:
        super().__init__(withheld.detail)
        self.withheld = withheld


def too_big(*, limit: int, advice: str) -> RequestRefused:
    """Return the refusal of a body that is larger than its address takes."""
    detail = f"the body is larger than {limit} bytes; {advice}"
    return RequestRefused(Withheld(status=413, code=TOO_BIG, detail=detail))


def has_too_many_cookies(scope: Mapping[str, Any]) -> bool:
    """Say whether a request's cookies are longer than any that the portal gives."""
    return sum(len(value) for name, value in scope["headers"] if name == b"cookie") > COOKIES


def cookies_too_big() -> RequestRefused:
    """Return the refusal of more cookies than the portal ever gives."""
    detail = f"the cookies are longer than {COOKIES} bytes; delete those of this site"
    return RequestRefused(Withheld(status=413, code=TOO_BIG, detail=detail))


def too_slow() -> RequestRefused:
    """Return the refusal of a body that stopped coming."""
    detail = "The body stopped or came too slowly. Nothing was stored; send it again."
    return RequestRefused(Withheld(status=408, code=TOO_SLOW, detail=detail))


def busy(*, seconds: int) -> RequestRefused:
    """Return the refusal where everybody together asks for more than can be done."""
    detail = "The portal is busy. Nothing was stored; send it again later."
    return RequestRefused(Withheld(status=503, code=BUSY, detail=detail, retry_after=seconds))


def too_many(*, seconds: int) -> RequestRefused:
    """Return the refusal where one sender or address asks for more than its share."""
    detail = "Too much comes from here at once. Nothing was stored; send it again later."
    return RequestRefused(Withheld(status=429, code=TOO_MANY, detail=detail, retry_after=seconds))


def in_plain_text(withheld: Withheld) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the two messages of an answer that the application does not make."""
    text = withheld.detail.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(text)).encode()),
        (b"retry-after", str(withheld.retry_after or 5).encode()),
    ]
    start = {"type": "http.response.start", "status": withheld.status, "headers": headers}
    return start, {"type": "http.response.body", "body": text}


def marked(scope: Mapping[str, Any], *, withheld: Withheld | None) -> dict[str, Any]:
    """Return the scope of a request whose body is kept from the application: it has none."""
    headers = [each for each in scope["headers"] if each[0] not in _OF_BODIES]
    return {**scope, "headers": headers, SCOPE_KEY: withheld or Withheld.unread()}


_OF_BODIES: Final = frozenset({b"content-length", b"transfer-encoding", b"expect"})
