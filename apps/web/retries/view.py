"""The page of retry chains and recoveries over a time."""

from dataclasses import replace
from typing import Any, Final

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.fleet.access import is_vendor_alone
from apps.reliability.facade.recoveries import recoveries_in_period
from apps.reliability.facade.retry_chains import ListedChain, chains_in_period, retry_scope
from apps.tenancy.middleware import OrganizationRequest
from apps.web.retries.asked import asked_retries
from apps.web.retries.compose import query_of, retries_page
from apps.web.shell.address_filters import page_of
from apps.web.shell.render import show

PAGE_SIZE: Final = 30


@require_GET
def retries(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the retry chains of a time that the organization in the path may know of."""
    now = timezone.now()
    asked = asked_retries(request, actor=request.actor, today=now.date())
    scope = retry_scope(
        actor=request.actor,
        cluster=asked.cluster,
        first_day=asked.first_day,
        last_day=asked.last_day,
    )
    found = chains_in_period(actor=request.actor, scope=scope, now=now)
    wanted: Any = [
        each for each in found.chains if not asked.outcome or each.chain.outcome == asked.outcome
    ]
    pages: Paginator[ListedChain] = Paginator(wanted, PAGE_SIZE)
    part = page_of(request, pages=pages)
    page = retries_page(
        asked=asked,
        found=found,
        shown=list(part.object_list),
        recoveries=recoveries_in_period(
            actor=request.actor, scope=scope, changed_at=asked.changed_at
        ),
        now=now,
    )
    if not found.chains and is_vendor_alone(actor=request.actor):
        page = replace(page, is_hidden=True)
    if part.has_next():
        page = replace(page, next_query=query_of(asked, page=str(part.next_page_number())))
    return show(request, "web/retries/page.html", section="sessions", now=now, page=page)
