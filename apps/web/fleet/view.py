"""The fleet of a cluster: its page, its values at an instant, and one node of it."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.input_values import instant
from apps.diagnosis.spelling import shown
from apps.reliability.facade.fleet import fleet_view, newest_told, usual_signal
from apps.reliability.facade.fleet_curve import fleet_curve
from apps.reliability.fleet_grid.values import FleetQuestion, FleetView
from apps.tenancy.middleware import OrganizationRequest
from apps.web.display.instants import dated
from apps.web.fleet.columns import columns_of
from apps.web.fleet.compose import COLOURS, SORTS, fleet_page, heading, query_of
from apps.web.fleet.curve import curve_view
from apps.web.fleet.node_panel import node_panel
from apps.web.fleet.page import FleetAsked, NewestTold, NodePanel
from apps.web.shell.address_filters import known
from apps.web.shell.cluster_choice import choose_cluster
from apps.web.shell.render import show
from apps.web.shell.shared_reads import read_with_shared

HOST_LENGTH, ID_LENGTH = 253, 40


@require_GET
def clusters(request: OrganizationRequest, org: str) -> HttpResponse:
    """Lead to the fleet of the only cluster, or let the reader choose one."""
    return choose_cluster(
        request,
        now=timezone.now(),
        address="web:fleet_cluster",
        title=_("Fleet"),
        lead=_("What every GPU and node measures, cluster by cluster."),
        section="fleet",
    )


@require_GET
def fleet(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Show the nodes of a cluster and their parts, coloured by a metric."""
    now = timezone.now()
    at = _instant(request, now)
    asked = FleetAsked(
        org=org,
        cluster=cluster,
        metric=_metric(request, cluster, at=at or now, now=now),
        at=f"{at:%Y-%m-%dT%H:%M:%SZ}" if at else "",
        session=request.GET.get("session", "")[:ID_LENGTH],
        host=request.GET.get("host", "").strip()[:HOST_LENGTH],
        sort=known(request, "sort", SORTS) or SORTS[0],
        colour=known(request, "colour", COLOURS) or COLOURS[0],
    )
    view = _view(request, asked, at or now, now)
    if asked.session and asked.session not in {each.public_id for each in view.sessions}:
        told = _("“%(value)s” is no session that you know to have run then: no node is shown.")
        messages.warning(request, told % {"value": shown(word=asked.session)})
    page = fleet_page(view, asked=asked, now=now)
    newest = None if page.has_values else _newest_told(request, asked, view)
    return show(
        request,
        "web/fleet/page.html",
        section="fleet",
        now=now,
        page=page,
        panel=_worst_panel(request, view, now=now),
        newest=newest,
    )


def _worst_panel(
    request: OrganizationRequest, view: FleetView, *, now: datetime
) -> NodePanel | None:
    """Return the node that stands out most; None where none does."""
    worst = view.nodes[0] if view.nodes else None
    if worst is None or not (worst.xids or worst.worst is not None):
        return None
    return node_panel(
        request,
        cluster=view.cluster.slug,
        host=worst.host,
        metric=view.signal.name,
        at=view.at,
        now=now,
    )


def _newest_told(
    request: OrganizationRequest, asked: FleetAsked, view: FleetView
) -> NewestTold | None:
    """Return when one's own sources told of the metric last, where that was before."""
    at = newest_told(actor=request.actor, cluster=asked.cluster, signal=asked.metric, at=view.at)
    if at is None:
        return None
    there = replace(asked, at=f"{at:%Y-%m-%dT%H:%M:%SZ}")
    return NewestTold(when=dated(at.astimezone(UTC)), query=query_of(there))


@require_GET
def values(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Send the values of an instant as columns; nothing where the browser has them already."""
    now = timezone.now()
    asked = _exactly(request, cluster, now)
    if asked is None:
        return _unreadable()
    view = _read(request, asked, now)
    columns = columns_of(view, known_layout=request.GET.get("layout", ""))
    columns["heading"] = heading(view)
    return _sent(request, json.dumps(columns, separators=(",", ":")).encode())


@require_GET
def node(request: OrganizationRequest, org: str, cluster: str, host: str) -> HttpResponse:
    """Show one node beside the grid, without the frame of a page."""
    now = timezone.now()
    asked = _exactly(request, cluster, now)
    if asked is None:
        return _unreadable()
    panel = node_panel(
        request,
        cluster=cluster,
        host=host,
        metric=asked.signal,
        at=asked.at,
        now=now,
    )
    if "why" not in request.GET:  # the reader chose it
        panel = replace(panel, why="")
    return show(request, "web/fleet/node.html", section="fleet", now=now, panel=panel)


@require_GET
def curve(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Show how unlike its peers the worst part was over the kept hours, for the scrubber."""
    now = timezone.now()
    asked = _exactly(request, cluster, now)
    if asked is None:
        return _unreadable()
    found = read_with_shared(
        request,
        lambda channel: fleet_curve(
            actor=request.actor, asked=replace(asked, at=now), channel=channel, now=now
        ),
    )
    there = FleetAsked(
        org=org,
        cluster=cluster,
        metric=asked.signal,
        at="",
        session=asked.session,
        host=asked.host,
        sort=known(request, "sort", SORTS) or SORTS[0],
        colour=known(request, "colour", COLOURS) or COLOURS[0],
    )
    drawn = curve_view(found, asked=there)
    return show(request, "web/fleet/curve.html", section="fleet", now=now, curve=drawn)


def _exactly(request: OrganizationRequest, cluster: str, now: datetime) -> FleetQuestion | None:
    """Return what a script asks for; None where it can't be meant. Raises NotFound."""
    at = instant(request.GET["at"]) if "at" in request.GET else now
    metric = request.GET.get("metric")
    if at is None or (metric is not None and metric not in catalog().signals):
        return None
    if metric is None:
        metric = usual_signal(actor=request.actor, cluster=cluster, at=at, now=now)
    return FleetQuestion(
        cluster=cluster,
        signal=metric,
        at=at,
        session=request.GET.get("session", "")[:ID_LENGTH],
        host=request.GET.get("host", "").strip()[:HOST_LENGTH],
        with_choices=False,
    )


def _unreadable() -> HttpResponse:
    text = _("Name a metric of the catalog, and a time like 2026-11-21T02:00:00Z.")
    return HttpResponse(text, status=400)


def _sent(request: HttpRequest, body: bytes) -> HttpResponse:
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    answer = HttpResponse(body, content_type="application/json", headers={"ETag": etag})
    # To be asked about each time, since what an agreement shows may end; kept by this reader alone.
    answer.headers["Cache-Control"] = "private, no-cache"
    found = get_conditional_response(request, etag=etag, response=answer)
    return answer if found is None else found


def _view(
    request: OrganizationRequest, asked: FleetAsked, at: datetime, now: datetime
) -> FleetView:
    question = FleetQuestion(
        cluster=asked.cluster, signal=asked.metric, at=at, session=asked.session, host=asked.host
    )
    return _read(request, question, now)


def _read(request: OrganizationRequest, asked: FleetQuestion, now: datetime) -> FleetView:
    return read_with_shared(
        request,
        lambda channel: fleet_view(actor=request.actor, asked=asked, channel=channel, now=now),
    )


def _instant(request: OrganizationRequest, now: datetime) -> datetime | None:
    text = request.GET.get("at", "")[:40]
    at = instant(text or None)
    if text and at is None:
        told = _("“%(value)s” is no time: the newest values are shown.")
        messages.warning(request, told % {"value": shown(word=text)})
    if at is not None and at > now:
        messages.warning(request, _("That time has not come yet: the newest values are shown."))
        return None
    return at


def _metric(request: OrganizationRequest, cluster: str, *, at: datetime, now: datetime) -> str:
    name = request.GET.get("metric", "")[:150]
    if name in catalog().signals:
        return name
    usual = usual_signal(actor=request.actor, cluster=cluster, at=at, now=now)
    if name:
        told = _("“%(value)s” is no metric of the catalog: %(usual)s is shown.")
        messages.warning(request, told % {"value": shown(word=name), "usual": usual})
    return usual
