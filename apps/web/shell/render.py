"""The frame around every page, and how a page is rendered inside it."""

from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.notifications.delivery import outbound_freeze
from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.people.memberships import other_organizations_of
from apps.web.display.instants import instant
from apps.web.display.organizations import place
from apps.web.shell.address_filters import tell_unknown
from apps.web.shell.frame import HoldNote, Shell

THEMES = {"light", "dark"}
ZONE_LENGTH = 64
UTC_NAMES = {"UTC", "Etc/UTC", "GMT", "Etc/GMT"}


def zone_of(request: HttpRequest) -> ZoneInfo | None:
    """Return the zone that the browser told, or nothing where it told none or nonsense."""
    # A script writes it, so that its slash comes encoded.
    name = unquote(request.COOKIES.get("zone", ""))
    if not name or len(name) > ZONE_LENGTH:
        return None
    try:
        zone = ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
    return None if name in UTC_NAMES else zone


def theme_of(request: HttpRequest) -> str:
    """Return the theme that the reader chose, or nothing to follow the system."""
    theme = request.COOKIES.get("theme", "")
    return theme if theme in THEMES else ""


def shell_of(*, request: OrganizationRequest, section: str, now: datetime) -> Shell:
    """Return the frame for the organization in the path."""
    actor, zone = request.actor, zone_of(request)
    return Shell(
        organization=place(actor.organization),
        others=tuple(place(each) for each in other_organizations_of(actor=actor)),
        section=section,
        now=now,
        local_clock=now.astimezone(zone).strftime("%H:%M:%S %Z") if zone else "",
        is_simulated=actor.organization.is_simulated,
        can_write=Right.ACT in actor.rights,
        person=request.user.get_full_name() or request.user.get_username(),
        theme=theme_of(request),
        hold=_hold(zone),
    )


def _hold(zone: ZoneInfo | None) -> HoldNote | None:
    found = outbound_freeze.standing()
    if found is None:
        return None
    return HoldNote(since=_moment(found.since, zone), copied=_moment(found.copied_at, zone))


def _moment(at: datetime | None, zone: ZoneInfo | None) -> str:
    if at is None:
        return ""
    told = instant(at, zone=zone)
    return f"{told.text} UTC ({told.local})" if told.local else f"{told.text} UTC"


def show(
    request: OrganizationRequest,
    template: str,
    *,
    section: str,
    now: datetime,
    status: int = 200,
    live: str = "",
    **values: Any,
) -> HttpResponse:
    """Render a page inside its frame; `live` names the changes that it hears of while open."""
    tell_unknown(request)
    shell = shell_of(request=request, section=section, now=now)
    context = {"shell": replace(shell, live=live), **values}
    return render(request, template, context, status=status)
