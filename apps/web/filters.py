"""What an address asks a list for: known values, a moment to go on from, and links to the rest."""

from collections.abc import Container
from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpRequest


def known(request: HttpRequest, name: str, values: Container[str]) -> str:
    """Return a parameter, or nothing where it is none of the values."""
    value = request.GET.get(name, "")
    return value if value in values else ""


def before(request: HttpRequest) -> datetime | None:
    """Return the moment before which the list goes on, or nothing for its start or nonsense."""
    try:
        at = datetime.fromisoformat(request.GET.get("before", ""))
    except ValueError:
        return None
    return at if at.tzinfo else None


def link(**parameters: str) -> str:
    """Return the query of an address that asks for this."""
    return "?" + urlencode(parameters)
