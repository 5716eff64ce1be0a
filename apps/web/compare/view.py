"""Two incidents side by side."""

from dataclasses import replace

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.incidents.facade.reads import incident_view_of
from apps.incidents.facade.shared import one_reading
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.middleware import OrganizationRequest
from apps.web.compare.compose import compare_page
from apps.web.compare.page import ComparePage
from apps.web.shell.render import show


@require_GET
def compare(request: OrganizationRequest, org: str, public_id: str, other: str) -> HttpResponse:
    """Show two incidents as the organization in the path may read them."""
    now = timezone.now()
    with one_reading():
        try:
            page = _page(request, public_id, other, channel=LedgerChannel.PAGE)
        except LedgerUnavailable:
            page = replace(_page(request, public_id, other, channel=None), is_unrecorded=True)
    return show(request, "web/compare/page.html", section="incidents", now=now, page=page)


def _page(
    request: OrganizationRequest, public_id: str, other: str, *, channel: LedgerChannel | None
) -> ComparePage:
    first, second = (
        incident_view_of(actor=request.actor, public_id=each, channel=channel)
        for each in (public_id, other)
    )
    return compare_page(first=first, second=second)
