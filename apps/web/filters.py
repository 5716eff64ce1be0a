"""What an address asks a list for: known values, a moment to go on from, and links to the rest."""

from collections.abc import Container, Mapping, Sequence
from datetime import datetime
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.diagnosis.input_values import instant
from apps.diagnosis.spelling import nearest, shown

# What each page asks of its address, by the name of its route; the others ask nothing.
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "home": ("seen",),
    "incidents": ("status", "layer", "before", "line"),
    "incident": ("group", "span", "all", "seen"),
    "warnings": ("kind", "layer", "before"),
    "sessions": ("page",),
    "sources": ("since",),
    "connect": ("agent", "cluster", "since", "had", "held"),
    "audit": ("kind", "check", "before"),
    "hosts": ("q",),
    "clusters": ("q",),
}
MOST_TOLD = 3
LONGEST_SHOWN = 40


def tell_unknown(request: HttpRequest) -> None:
    """Say on the page which parameters of its address it does not know: nothing is swallowed."""
    match = request.resolver_match
    if request.method != "GET" or match is None:
        return
    asked = PARAMETERS.get(match.url_name or "", ())
    for name in [each for each in request.GET if each not in asked][:MOST_TOLD]:
        messages.warning(request, _unknown(name, asked))


def _unknown(name: str, asked: Sequence[str]) -> str:
    told = {"name": shown(word=name, most=LONGEST_SHOWN)}
    found = nearest(word=name, known=asked)
    if found:
        told["nearest"] = found
        return (
            _("This page knows no “%(name)s”, so it changed nothing. Is “%(nearest)s” meant?")
            % told
        )
    return _("This page knows no “%(name)s”, so it changed nothing.") % told


def known(request: HttpRequest, name: str, values: Container[str]) -> str:
    """Return a parameter, or nothing where it is none of the values."""
    value = request.GET.get(name, "")
    if value in values:
        return value
    if value:
        told = {"name": name, "value": shown(word=value, most=LONGEST_SHOWN)}
        messages.warning(
            request, _("“%(value)s” is no %(name)s that is known: all are shown.") % told
        )
    return ""


def before(request: HttpRequest) -> datetime | None:
    """Return the moment before which the list goes on, or nothing for its start or nonsense."""
    value = request.GET.get("before")
    at = instant(value)
    if value and at is None:
        text = _("“%(value)s” is no time: the list begins at its start.")
        messages.warning(request, text % {"value": shown(word=value, most=LONGEST_SHOWN)})
    return at


def link(**parameters: str) -> str:
    """Return the query of an address that asks for this."""
    return "?" + urlencode(parameters)
