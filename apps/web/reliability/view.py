"""The page of a period, and the lists of what its figures count."""

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.reliability.facade.periods import period_of, scope_of
from apps.reliability.period.tables import counted_by
from apps.reliability.period.values import Period
from apps.tenancy.access import NotFound
from apps.tenancy.middleware import OrganizationRequest
from apps.web.reliability.asked import AskedPeriod, asked_of
from apps.web.reliability.compose import reliability_page
from apps.web.reliability.counted_list import counted_list
from apps.web.shell.render import show
from apps.web.shell.shared_reads import read_with_shared


@require_GET
def reliability(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show what failed, what it cost and where the time went, or what one figure of it counts."""
    now = timezone.now()
    asked = asked_of(request, now=now)
    period = _period(request, asked)
    figure = request.GET.get("figure", "")
    if not figure:
        page = reliability_page(request, period=period, asked=asked)
        return show(request, "web/reliability/page.html", section="reliability", now=now, page=page)
    name = request.GET.get("of", "")
    counted = counted_by(period, figure=figure, name=name)
    if counted is None:
        raise NotFound
    page_of_list = counted_list(
        request, counted=counted, asked=asked, figure=figure, name=name, now=now
    )
    return show(
        request, "web/reliability/counted.html", section="reliability", now=now, page=page_of_list
    )


def _period(request: OrganizationRequest, asked: AskedPeriod) -> Period:
    scope = scope_of(
        actor=request.actor,
        audience=asked.audience,
        cluster=asked.cluster or None,
        first_day=asked.first_day,
        last_day=asked.last_day,
    )
    now = timezone.now()
    return read_with_shared(
        request,
        lambda channel: period_of(actor=request.actor, scope=scope, now=now, channel=channel),
    )
