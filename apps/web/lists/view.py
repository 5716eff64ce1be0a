"""Keeping a view of a list, renaming and sharing it, opening a list with it, deleting it."""

from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from apps.search import saved_views
from apps.search.models import ListName
from apps.search.saved_views import (
    BadView,
    ViewEntry,
    ViewNameMissing,
    ViewNameTaken,
    ViewTooLong,
    ViewValue,
)
from apps.tenancy.middleware import OrganizationRequest
from apps.web.lists.opened_view import address_of
from apps.web.shell.address_filters import PARAMETERS

NOT_KEPT = frozenset({"cursor", "before", "view", "line", "id"})


@require_POST
def save(request: OrganizationRequest, org: str) -> HttpResponse:
    """Keep what a list is narrowed by under a name; the same name again gets the new filter."""
    now = timezone.now()
    name = request.POST.get("list", "")
    if name not in ListName.values:
        raise BadRequest
    entry = ViewEntry(
        list_name=ListName(name),
        name=request.POST.get("name", ""),
        query=_kept_query(name, request.POST.get("query", "")),
        is_shared=request.POST.get("shared") == "yes",
    )
    try:
        view = saved_views.save_view(actor=request.actor, entry=entry, now=now)
    except ViewTooLong as error:  # neither is an address that long one to go to
        messages.error(request, _why(error))
        return redirect(f"{_list(org, name)}?view=all")
    except BadView as error:
        messages.error(request, _why(error))
        return redirect(f"{_list(org, name)}?{entry.query or 'view=all'}")
    messages.info(request, _("Kept as “%(name)s”.") % {"name": view.name})
    return redirect(address_of(view, path=_list(org, name)))


@require_POST
def act(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Do with a view what the button says; 404 for one that the person may not touch."""
    view = saved_views.open_view(actor=request.actor, public_id=public_id)
    doing = ACTS.get(request.POST.get("act", ""))
    if doing is None:
        raise BadRequest
    try:
        doing(request, view)
    except BadView as error:
        messages.error(request, _why(error))
    is_gone = request.POST.get("act") == "delete"
    path = _list(org, view.list_name)
    return redirect(f"{path}?view=all" if is_gone else address_of(view, path=path))


def _rename(request: OrganizationRequest, view: ViewValue) -> None:
    name = request.POST.get("name", "")
    saved_views.change_view(actor=request.actor, public_id=view.public_id, name=name)
    messages.info(request, _("Renamed."))


def _share(request: OrganizationRequest, view: ViewValue) -> None:
    saved_views.change_view(
        actor=request.actor, public_id=view.public_id, is_shared=not view.is_shared
    )
    said = _("No more shared.") if view.is_shared else _("Shared inside your organization.")
    messages.info(request, said)


def _delete(request: OrganizationRequest, view: ViewValue) -> None:
    saved_views.delete_view(actor=request.actor, public_id=view.public_id)
    messages.info(request, _("Deleted."))


def _default(request: OrganizationRequest, view: ViewValue) -> None:
    chosen = None if view.is_default else view.public_id
    saved_views.set_default(actor=request.actor, list_name=view.list_name, public_id=chosen)
    everything = _("The list opens with everything again.")
    messages.info(request, everything if view.is_default else _("The list opens so now."))


ACTS: dict[str, Callable[[OrganizationRequest, ViewValue], None]] = {
    "rename": _rename,
    "share": _share,
    "delete": _delete,
    "default": _default,
}


def _kept_query(list_name: str, query: str) -> str:
    """Return of a query what a view keeps: parameters that the list knows, not its place."""
    known = set(PARAMETERS[list_name]) - NOT_KEPT
    told = [(name, value) for name, value in parse_qsl(query) if name in known]
    return urlencode(told)


def _list(org: str, name: str) -> str:
    return reverse(f"web:{name}", args=[org])


def _why(error: BadView) -> str:
    if isinstance(error, ViewNameMissing):
        return _("A view needs a name of at most 80 letters.")
    if isinstance(error, ViewTooLong):
        return _("Not kept: what it asks for is over 1,000 letters. Ask for less.")
    if isinstance(error, ViewNameTaken):
        return _("You have another view of that name.")
    return _("You have 100 views: delete one first.")
