"""Which kept view a list opens with, and which one its address names."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.search.saved_views import ViewValue, default_view, views_of
from apps.tenancy.middleware import OrganizationRequest

ALL = "all"  # in the address: with no view, whatever is the default


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptViews:
    """The views of a list that a person may open, and the one that is open."""

    views: tuple[ViewValue, ...]
    opened: ViewValue | None


def kept_views(request: OrganizationRequest, list_name: str) -> KeptViews:
    """Return the views of a list, and that which the address names, where there is one."""
    views = tuple(views_of(actor=request.actor, list_name=list_name))
    named = request.GET.get("view", "")
    opened = next((each for each in views if each.public_id == named), None)
    return KeptViews(views=views, opened=opened)


def to_default(request: OrganizationRequest, list_name: str) -> HttpResponse | None:
    """Return the way to the view that the list opens with for a person; None: it shows all.

    An address that asks for anything is answered as it stands.
    """
    if _asks_for_something(request):
        return None
    view = default_view(actor=request.actor, list_name=list_name)
    return redirect(address_of(view, path=request.path)) if view else None


def _asks_for_something(request: HttpRequest) -> bool:
    return bool(request.GET)


def address_of(view: ViewValue, *, path: str) -> str:
    """Return the address that opens a view."""
    query = f"{view.query}&" if view.query else ""
    return f"{path}?{query}view={view.public_id}"
