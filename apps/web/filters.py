"""What an address asks a list for: known values, a moment to go on from, and links to the rest."""

from collections.abc import Container
from datetime import datetime
from urllib.parse import urlencode

from django.http import HttpRequest

from apps.diagnosis.input_values import instant


def known(request: HttpRequest, name: str, values: Container[str]) -> str:
    """Return a parameter, or nothing where it is none of the values."""
    value = request.GET.get(name, "")
    return value if value in values else ""


def before(request: HttpRequest) -> datetime | None:
    """Return the moment before which the list goes on, or nothing for its start or nonsense."""
    return instant(request.GET.get("before"))


def link(**parameters: str) -> str:
    """Return the query of an address that asks for this."""
    return "?" + urlencode(parameters)
