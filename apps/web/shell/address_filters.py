"""What an address asks a list for: known values, a moment to go on from, and links to the rest."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import TypeVar
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import HttpRequest
from django.utils.translation import gettext as _

from apps.diagnosis.input_values import day, instant
from apps.diagnosis.spelling import nearest, shown
from apps.tenancy.values import PUBLIC_ID

EXPLORE = ("source", "signal", "host", "gpu", "session", "incident", "q", "range", "from", "until")
# What each page asks of its address, by the name of its route; the others ask nothing.
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "home": ("seen",),
    "find": ("q",),
    "found_line": ("at",),
    "incidents": (
        *("status", "layer", "cause", "host", "session", "party", "cluster", "with"),
        *("since", "until", "sort", "view", "cursor", "before", "line"),
    ),
    "incident_as": ("group", "span", "all"),
    "incident_as_proposed": ("group", "span", "all"),
    "incident": (
        *("group", "span", "all", "why", "seen", "ask_of", "ask_for"),
        *("notes", "diagnosis"),  # what its open page holds, asked by its own scripts
    ),
    "annotation_changes": ("seen", "group", "span", "all"),
    "incident_timeline": ("group", "span", "all"),
    "log_context": ("stream", "host", "line", "holder", "place"),
    "logs": ("session", "host", "kind"),
    "log": ("line", "at", "from", "before", "q", "mode", "case", "level", "with"),
    "explore": EXPLORE,
    "explore_csv": EXPLORE,
    "download_log": ("from", "until"),
    "warnings": (
        *("kind", "of", "layer", "state", "cause", "host", "cluster", "since", "until"),
        *("sort", "view", "cursor", "before", "id"),
    ),
    "agreement": ("preset",),
    "propose_agreement": ("cluster", "counterpart", "preset"),
    "ledger": ("side", "party", "agreement", "incident", "day", "before"),
    "make_bundle": ("incident",),
    "bundle": ("name",),
    "reliability": ("view", "cluster", "range", "from", "until", "figure", "of"),
    "sessions": (
        *("state", "layer", "cause", "name", "host", "party", "cluster", "since", "until"),
        *("sort", "view", "cursor"),
    ),
    "reports": ("page", "view", "cluster", "range", "from", "until"),
    "report": ("revision", "changes"),
    "session": ("attempt",),
    "retries": ("first_day", "last_day", "cluster", "outcome", "changed", "page"),
    "node": ("days",),
    "offenders": ("days",),
    "changes": ("days",),
    "storage_path": ("days", "view", "at"),
    "fleet_cluster": ("metric", "at", "session", "host", "sort", "colour"),
    "fleet_values": ("metric", "at", "session", "host", "layout"),
    "fleet_curve": ("metric", "at", "session", "host", "sort", "colour"),
    "fleet_node": ("metric", "at"),
    "stragglers": ("months",),
    "sources": ("since", "open"),
    "connect": ("agent", "cluster", "since", "had", "held"),
    "audit": ("kind", "check", "before"),
    "hosts": ("q",),
    "clusters": ("q",),
}
MOST_TOLD = 3
Row = TypeVar("Row")


def tell_unknown(request: HttpRequest) -> None:
    """Say on the page which parameters of its address it does not know: nothing is swallowed."""
    match = request.resolver_match
    if request.method != "GET" or match is None:
        return
    asked = PARAMETERS.get(match.url_name or "", ())
    for name in [each for each in request.GET if each not in asked][:MOST_TOLD]:
        messages.warning(request, _unknown(name, asked))
    for name in asked:
        if len(request.GET.getlist(name)) > 1:
            text = _("The address says “%(name)s” more than once: the last one counts.")
            messages.warning(request, text % {"name": name})


def _unknown(name: str, asked: Collection[str]) -> str:
    told = {"name": shown(word=name), "known": ", ".join(asked)}
    text = _("This page knows no “%(name)s”, so it changed nothing.") % told
    if meant := nearest(word=name, known=asked):
        return f"{text} {is_meant(meant)}"
    takes = _("It knows: %(known)s.") % told
    return f"{text} {takes}" if asked else text


def is_meant(word: str) -> str:
    """Return the question that names the word that was probably meant."""
    return _("Is “%(nearest)s” meant?") % {"nearest": word}


def known(request: HttpRequest, name: str, values: Collection[str]) -> str:
    """Return a parameter, or nothing where it is none of the values; say so, and what is."""
    value = request.GET.get(name, "")
    if value in values:
        return value
    if value:
        messages.warning(request, unknown_value(name=name, value=value, values=values))
    return ""


def identified(request: HttpRequest, name: str) -> str:
    """Return a parameter that is an id, or nothing where it is none; say so."""
    value = request.GET.get(name, "").strip()
    if not value or PUBLIC_ID.fullmatch(value):
        return value
    text = _("“%(value)s” is no id such as INC-7K2M9P: all are shown.")
    messages.warning(request, text % {"value": shown(word=value)})
    return ""


def unknown_value(*, name: str, value: str, values: Collection[str]) -> str:
    """Return what is told of a value that is none of a parameter's, with the one that was meant."""
    named = [each for each in values if each]
    told = {"name": name, "value": shown(word=value), "known": ", ".join(named)}
    text = _("“%(value)s” is no %(name)s that is known: all are shown.") % told
    if meant := nearest(word=value, known=named):
        return f"{text} {is_meant(meant)}"
    choices = _("Known are: %(known)s.") % told
    return f"{text} {choices}" if named else text


def page_of(request: HttpRequest, *, pages: Paginator[Row]) -> Page[Row]:
    """Return the page of a list that the address asks for; say so where there is none of it."""
    value = request.GET.get("page", "1")
    part = pages.get_page(value)
    if value != str(part.number):
        text = _("“%(value)s” is no page of this list: page %(n)s is shown.")
        messages.warning(request, text % {"value": shown(word=value), "n": part.number})
    return part


def before(request: HttpRequest) -> datetime | None:
    """Return the moment before which the list goes on, or nothing for its start or nonsense."""
    value = request.GET.get("before")
    at = instant(value)
    if value and at is None:
        text = _("“%(value)s” is no time: the list begins at its start.")
        messages.warning(request, text % {"value": shown(word=value)})
    return at


def day_of(request: HttpRequest, name: str) -> date | None:
    """Return the day that a parameter names, or nothing where it is none; say so.

    Of a day outside this century no span of days could be counted.
    """
    value = request.GET.get(name, "").strip()
    found = day(value)
    if found or not value:
        return found
    text = _("“%(value)s” is no day such as 2026-11-21: it is left out.")
    messages.warning(request, text % {"value": shown(word=value)})
    return None


def link(**parameters: str) -> str:
    """Return the query of an address that asks for this."""
    return "?" + urlencode(parameters)
