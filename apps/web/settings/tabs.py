"""The tabs of the settings: one line each, and how a page is rendered inside one.

A new tab is a line in TABS, an address under `o/<org>/settings/<key>/` and a template that extends
`web/settings/page.html` and fills its block `panel`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.tenancy.access import Actor, Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.shell.render import show


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One page of the settings: its name in the address, its text, and who may see it."""

    key: str
    text: Promise
    url_name: str
    right: Right


TABS: tuple[Tab, ...] = (
    Tab(key="members", text=_("Members"), url_name="web:members", right=Right.READ),
    Tab(
        key="single-sign-on",
        text=_("Single sign-on"),
        url_name="web:single_sign_on",
        right=Right.MANAGE,
    ),
    Tab(key="tokens", text=_("Tokens"), url_name="web:tokens", right=Right.MANAGE),
    Tab(key="clusters", text=_("Clusters"), url_name="web:clusters", right=Right.READ),
    Tab(
        key="notifications",
        text=_("Notifications"),
        url_name="web:notifications",
        right=Right.READ,
    ),
    Tab(key="costs", text=_("Costs"), url_name="web:costs", right=Right.READ),
    Tab(key="retention", text=_("Retention"), url_name="web:retention", right=Right.READ),
    Tab(key="audit", text=_("Audit record"), url_name="web:audit", right=Right.MANAGE),
    Tab(key="account", text=_("Account"), url_name="web:account", right=Right.READ),
)


def tabs_of(*, actor: Actor) -> tuple[Tab, ...]:
    """Return the tabs that an actor may see, in order."""
    return tuple(tab for tab in TABS if tab.right in actor.rights)


def show_tab(
    request: OrganizationRequest,
    template: str,
    *,
    tab: str,
    now: datetime,
    status: int = 200,
    **values: Any,
) -> HttpResponse:
    """Render a tab inside the settings; raise NotFound for who may not see it."""
    here = next(each for each in TABS if each.key == tab)
    request.actor.require(here.right)
    return show(
        request,
        template,
        section="settings",
        now=now,
        status=status,
        tabs=tabs_of(actor=request.actor),
        here=here,
        **values,
    )
