"""A body that was not read: why, as the edge in front of the application leaves it in the scope."""

from dataclasses import dataclass
from typing import Self

from django.http import HttpRequest

SCOPE_KEY = "portal.withheld"


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """What to answer to a request whose body was not read."""

    status: int
    code: str
    detail: str
    retry_after: int | None = None
    # The edge leaves the refusal to the application, which looks at the credential itself.
    is_open: bool = False

    @classmethod
    def unread(cls) -> Self:
        """Return what to answer where the application finds nothing to refuse after all."""
        detail = "Nothing was stored; send it again."
        return cls(status=503, code="unavailable", detail=detail, retry_after=1, is_open=True)


def withheld_of(*, request: HttpRequest) -> Withheld | None:
    """Return why the body of a request was not read, None for one that was."""
    found = getattr(request, "scope", {}).get(SCOPE_KEY)
    return found if isinstance(found, Withheld) else None
