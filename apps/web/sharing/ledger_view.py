"""The share ledger: who was shown what of ours, and what we were shown of others'."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.fleet.access import access_clusters
from apps.sharing.facade import agreements as sharing
from apps.sharing.facade.ledger import ledger_rows
from apps.sharing.ledger.reading import LedgerFilters, LedgerSide
from apps.tenancy.middleware import OrganizationRequest
from apps.web.display.choices import SegmentLink
from apps.web.sharing.ledger_page import LedgerPage, look_rows
from apps.web.shell.address_filters import before, day_of, identified, known, link
from apps.web.shell.render import show

PAGE_SIZE = 50


@require_GET
def ledger(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the looks that the organization in the path is a side of, newest first."""
    asked = _asked(request)
    day = day_of(request, "day")
    filters = LedgerFilters(
        side=LedgerSide(asked["side"]) if asked["side"] else None,
        party=asked["party"],
        ground=asked["agreement"],
        incident=asked["incident"],
        day=day,
        until=before(request),
    )
    found = ledger_rows(actor=request.actor, filters=filters)[: PAGE_SIZE + 1]
    rows = found[:PAGE_SIZE]
    names = {each.slug: each.name for each in access_clusters(actor=request.actor)}
    asked["day"] = day.isoformat() if day else ""
    told = {name: value for name, value in asked.items() if value}
    page = LedgerPage(
        rows=look_rows(rows, clusters=names),
        sides=_sides(told),
        parties=_parties(request, told),
        narrowed=tuple(told[name] for name in ("agreement", "incident", "day") if name in told),
        ground=asked["agreement"],
        incident=asked["incident"],
        day=asked["day"],
        side=asked["side"],
        party=asked["party"],
        next_query=link(**told, before=rows[-1].at.isoformat()) if len(found) > PAGE_SIZE else "",
        csv_address=f"{reverse('v1:ledger_csv', args=[org])}?{urlencode(told)}",
    )
    return show(
        request, "web/sharing/ledger.html", section="sharing", now=timezone.now(), page=page
    )


def _asked(request: OrganizationRequest) -> dict[str, str]:
    sides = [str(each) for each in LedgerSide]
    slugs = [slug for slug, _name in _others(request)]
    return {
        "side": known(request, "side", sides),
        "party": known(request, "party", slugs),
        "agreement": identified(request, "agreement"),
        "incident": identified(request, "incident"),
    }


def _others(request: OrganizationRequest) -> list[tuple[str, str]]:
    """Return with whom the organization has or had an agreement."""
    found = sharing.list_agreements(actor=request.actor, now=timezone.now())
    return sorted({(each.other.slug, each.other.name) for each in found})


def _sides(told: dict[str, str]) -> tuple[SegmentLink, ...]:
    names = {"": _("All"), "ours": _("Who read ours"), "theirs": _("What we read")}
    chosen = told.get("side", "")
    return tuple(
        SegmentLink(text=text, query=link(**(told | {"side": value})), is_on=value == chosen)
        for value, text in names.items()
    )


def _parties(request: OrganizationRequest, told: dict[str, str]) -> tuple[SegmentLink, ...]:
    chosen = told.get("party", "")
    return tuple(
        SegmentLink(text=name, query=link(**(told | {"party": slug})), is_on=slug == chosen)
        for slug, name in [("", _("Any party")), *_others(request)]
    )
