"""What stands behind the question mark: a filter that nobody knows is refused, never ignored."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, TypeVar

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

Handler = TypeVar("Handler", bound=Callable[..., Any])
TAKEN = "taken_query"


def takes(*names: str) -> Callable[[Handler], Handler]:
    """Let a handler take these parameters and refuse all others."""

    def mark(handler: Handler) -> Handler:
        setattr(handler, TAKEN, frozenset(names))
        return handler

    return mark


def check_query(*, handler: Callable[..., Any], request: Request) -> None:
    """Raise ValidationError for a parameter that the handler would ignore, or that is there twice.

    Handlers that say nothing of parameters have none to mistake, and take any.
    """
    taken: frozenset[str] | None = getattr(handler, TAKEN, None)
    if taken is None:
        return
    wrong = {name: _unknown(name, taken) for name in request.query_params if name not in taken}
    wrong |= {name: "give it once" for name in taken if len(request.query_params.getlist(name)) > 1}
    if wrong:
        raise ValidationError(wrong)


def _unknown(name: str, taken: frozenset[str]) -> str:
    close = get_close_matches(name.lower(), taken, n=1)
    meant = f"; did you mean `{close[0]}`?" if close else ""
    return f"there is no such filter here; one of {', '.join(sorted(taken))}{meant}"
