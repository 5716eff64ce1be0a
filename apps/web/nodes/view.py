"""The page of one node, and writing down that it is left out."""

from datetime import UTC, datetime, timedelta

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from apps.diagnosis.input_values import in_bounds
from apps.fleet.exclusions.exclusion_acts import ReasonMissing
from apps.fleet.facade.exclusions import exclude_node, put_node_back
from apps.fleet.facade.nodes import is_known_node
from apps.reliability.facade.offenders import node_history
from apps.reliability.offenders.values import NodeHistory
from apps.tenancy.access import NotFound
from apps.tenancy.middleware import OrganizationRequest
from apps.web.display.choices import day_links
from apps.web.nodes.compose import node_page
from apps.web.shell.act_context import act_context
from apps.web.shell.address_filters import known, link
from apps.web.shell.render import show
from apps.web.shell.shared_reads import read_with_shared

SPANS = ("28", "90", "365")
USUAL = "90"


@require_GET
def node(request: OrganizationRequest, org: str, cluster: str, host: str) -> HttpResponse:
    """Show what the organization in the path may know of a node."""
    now = timezone.now()
    days = known(request, "days", SPANS) or USUAL
    history = _history(request, cluster, host, since=now - timedelta(days=int(days)), now=now)
    page = node_page(
        history=history,
        org=org,
        spans=day_links(SPANS, chosen=days, query=lambda each: link(days=each)),
    )
    return show(request, "web/nodes/page.html", section="", now=now, page=page)


def _history(
    request: OrganizationRequest, cluster: str, host: str, *, since: datetime, now: datetime
) -> NodeHistory:
    return read_with_shared(
        request,
        lambda channel: node_history(
            actor=request.actor, cluster=cluster, host=host, since=since, now=now, channel=channel
        ),
    )


@require_POST
def exclude(request: OrganizationRequest, org: str, cluster: str, host: str) -> HttpResponse:
    """Write down that a node is left out."""
    _require_known(request, cluster, host)
    until = _until(request)
    try:
        exclude_node(
            cluster=cluster,
            host=host,
            reason=request.POST.get("reason", ""),
            until=until,
            context=act_context(request),
        )
    except ReasonMissing:
        messages.error(request, _("Nothing was written down: say why the node is left out."))
    else:
        text = _("Written down: %(host)s is left out. No scheduler was told.")
        messages.success(request, text % {"host": host})
    return _back(org, cluster, host)


@require_POST
def put_back(request: OrganizationRequest, org: str, cluster: str, host: str) -> HttpResponse:
    """Write down that a node that was left out by hand is in use again."""
    _require_known(request, cluster, host)
    put_node_back(cluster=cluster, host=host, context=act_context(request))
    text = _("Written down: %(host)s is in use again. No scheduler was told.")
    messages.success(request, text % {"host": host})
    return _back(org, cluster, host)


def _require_known(request: OrganizationRequest, cluster: str, host: str) -> None:
    """Raise NotFound for a node that the reader knows nothing of."""
    if not is_known_node(actor=request.actor, cluster=cluster, host=host):
        raise NotFound


def _until(request: OrganizationRequest) -> datetime | None:
    text = request.POST.get("until", "")
    try:
        found = _bounded(parse_datetime(text))
    except ValueError:
        found = None
    if text and found is None:
        messages.warning(request, _("The planned end can't be read as a time: none was kept."))
    return found


def _bounded(at: datetime | None) -> datetime | None:
    """Return a time in UTC; None for one of a year that no clock shows."""
    return in_bounds(at if at is None or at.tzinfo else at.replace(tzinfo=UTC))


def _back(org: str, cluster: str, host: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("web:node", args=[org, cluster, host]))
