"""The first page: what waits for the reader, then the state of things."""

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.http import HttpResponse
from django.utils import dateformat, timezone
from django.utils.translation import pgettext
from django.views.decorators.http import require_GET

from apps.fleet.access import access_clusters
from apps.fleet.facade.sessions import attempts_of, sessions_by_start
from apps.fleet.parties.role_proposals import access_received
from apps.fleet.values import AttemptView
from apps.incidents.facade.notes import unread_counts
from apps.incidents.facade.reads import count_incidents, list_incidents
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words.waiting import ANSWERS, Waits, waiting_of
from apps.sharing.facade.bundles import unopened_bundles
from apps.telemetry.facade.sources import list_sources
from apps.telemetry.sample_data.sample_organization import is_sample, sample_of
from apps.telemetry.samples.window.window_status import standings_of
from apps.telemetry.status.intake import intakes_of
from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.bundles.page import bundle_line
from apps.web.first_steps.facts import facts_of
from apps.web.first_steps.steps import FirstSteps, first_steps
from apps.web.home.health import health_of
from apps.web.home.lead import lead_of
from apps.web.home.page import HomePage
from apps.web.home.waiting_agreements import waiting_agreements
from apps.web.home.waiting_requests import waiting_requests
from apps.web.home.week import week_numbers
from apps.web.incidents.page import IncidentRow
from apps.web.incidents.rows import incident_rows
from apps.web.intake_refusal import refusal_of
from apps.web.live import page_topics
from apps.web.sessions.latest_incidents import latest_headers
from apps.web.sessions.page import SessionRow
from apps.web.sessions.rows import session_row
from apps.web.settings.clusters.participation import proposal_said
from apps.web.shell.render import show
from apps.web.sources.page import SourceRow
from apps.web.sources.pushed_metrics import metrics_row
from apps.web.sources.rows import push_row

WEEK = timedelta(days=7)
SETTLES = timedelta(minutes=15)  # until then an incident of a stop is there, or there is none
INCIDENTS_READ = 200
INCIDENTS_SHOWN = 12
SESSIONS_SHOWN = 6
SOURCES_SHOWN = 8
OFFERS_SHOWN = 5


@require_GET
def home(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show what is open, the last day, sources and the week's numbers."""
    now = timezone.now()
    recent = list_incidents(actor=request.actor, since=now - WEEK, is_folded=True)
    found = recent[:INCIDENTS_READ]
    headers = [header for header in found if header.incident.status != "withdrawn"]
    refused = refusal_of(actor=request.actor)
    offered = _offered(request, now=now)
    unread = unread_counts(actor=request.actor, incident_ids=[each.id for each in headers])
    agreements = waiting_agreements(actor=request.actor, now=now)
    requests = waiting_requests(actor=request.actor, now=now)
    bundles = tuple(map(bundle_line, unopened_bundles(actor=request.actor, now=now)))
    waiting_texts = [each.text for some in (agreements, requests, bundles) for each in some]
    asked = [*offered, *waiting_texts]
    stamp = _stamp(headers, refused, asked, sum(unread.values()))
    if request.GET.get("seen") == stamp:
        return HttpResponse(status=204)  # nothing new: the page stays as it is
    rows = _open_rows(request, headers=headers, now=now)
    mine = sum(1 for row in rows if row.is_with_reader)
    waiting = [each for header in headers for each in waiting_of(header, now=now)]
    sessions, unsettled_count = _sessions(request, now=now)
    first = None if found else _first_steps(request, has_session=bool(sessions), now=now)
    is_made_up = is_sample(request.actor.organization)
    sample = sample_of(user=request.actor.user) if first and not is_made_up else None
    page = HomePage(
        title=dateformat.format(now.astimezone(UTC), pgettext("date format", "l, j F")),
        lead=lead_of(
            sessions=sessions,
            open_count=len(rows),
            mine=mine,
            unread_count=sum(unread.values()),
            unsettled_count=unsettled_count,
        ),
        rows=tuple(rows[:INCIDENTS_SHOWN]),
        open_count=len(rows),
        mine_count=mine,
        answer_count=sum(1 for each in waiting if each.kind in ANSWERS),
        action_count=sum(1 for each in waiting if each.kind == Waits.ACTION),
        health=health_of(headers=headers, now=now),
        sources=_sources(request, now=now),
        sessions=sessions,
        numbers=week_numbers(
            headers=headers,
            before=_week_before(request, now=now),
            since=request.actor.organization.created_at,
            now=now,
        ),
        offered=offered,
        agreements=agreements,
        requests=requests,
        bundles=bundles,
        is_alone=not (found or sessions or access_clusters(actor=request.actor).exists()),
        refused=refused,
        first=None if is_made_up else first,
        sample=sample.slug if sample else "",
        is_sample=is_made_up,
    )
    return show(
        request,
        "web/home/page.html",
        section="home",
        live=page_topics.HOME,
        now=now,
        page=page,
        is_waiting=not found,
        stamp=stamp,
    )


def _week_before(request: OrganizationRequest, *, now: datetime) -> list[IncidentHeader] | None:
    """Return the incidents of the week before; None where they are too many to be counted."""
    found = list_incidents(
        actor=request.actor, since=now - 2 * WEEK, until=now - WEEK, is_folded=True
    )[: INCIDENTS_READ + 1]
    if len(found) > INCIDENTS_READ:
        return None
    return [header for header in found if header.incident.status != "withdrawn"]


def _first_steps(
    request: OrganizationRequest, *, has_session: bool, now: datetime
) -> FirstSteps | None:
    """Return what is left of the first steps; None: all is done, or there ever was an incident."""
    actor = request.actor
    if count_incidents(actor=actor, with_simulated=True):
        return None
    found = first_steps(facts_of(actor=actor, has_session=has_session, now=now))
    return None if found.is_done else found


def _stamp(
    headers: Sequence[IncidentHeader], refused: str, offered: Sequence[str], unread_count: int
) -> str:
    """Return what changes when an incident appears, changes its verdict or its state, and when
    somebody writes on one.
    """
    told = [
        f"{header.incident.public_id} {header.incident.revision} {header.incident.status} "
        f"{header.is_collecting} {[party.acknowledged_at for party in header.parties]} "
        f"{header.coordination.step_count}"
        for header in headers
    ]
    return f"{zlib.crc32(repr((told, refused, offered, unread_count)).encode()):08x}"


def _offered(request: OrganizationRequest, *, now: datetime) -> tuple[str, ...]:
    """Return a sentence for each part that waits for this admin's answer."""
    if Right.MANAGE not in request.actor.rights:
        return ()
    rows = access_received(actor=request.actor, now=now)[:OFFERS_SHOWN]
    return tuple(proposal_said(row=each) for each in rows)


def _open_rows(
    request: OrganizationRequest, *, headers: list[IncidentHeader], now: datetime
) -> list[IncidentRow]:
    """Return what is open, first what waits for the reader, each newest first."""
    waiting = [
        header for header in headers if header.incident.status == "open" and header.left_at is None
    ]
    rows = incident_rows(actor=request.actor, headers=waiting, now=now, is_folded=True)
    return sorted(rows, key=lambda row: not row.is_with_reader)


def _sessions(request: OrganizationRequest, *, now: datetime) -> tuple[tuple[SessionRow, ...], int]:
    """Return the newest sessions, and how many failed just now and have no incident yet."""
    sessions = sessions_by_start(actor=request.actor)[:SESSIONS_SHOWN]
    attempts = attempts_of(actor=request.actor, sessions=sessions)
    latest = latest_headers(request, sessions=sessions)
    rows = tuple(
        session_row(session=each, attempts=attempts[each.id], headers=latest, now=now)
        for each in sessions
    )
    unsettled = [
        each
        for each in sessions
        if each.id not in latest and _failed_just_now(attempts[each.id], now=now)
    ]
    return rows, len(unsettled)


def _failed_just_now(attempts: Sequence[AttemptView], *, now: datetime) -> bool:
    last = attempts[-1] if attempts else None
    ended_at = last.ended_at if last and last.state == "failed" else None
    return ended_at is not None and now - ended_at < SETTLES


def _sources(request: OrganizationRequest, *, now: datetime) -> tuple[SourceRow, ...]:
    pushes = [push_row(intake=each, now=now) for each in intakes_of(actor=request.actor)]
    sources = list(list_sources(actor=request.actor))
    standings = standings_of(actor=request.actor, sources=sources)
    pulls = [metrics_row(source=each, standings=standings, now=now) for each in sources]
    return tuple([*pulls, *pushes][:SOURCES_SHOWN])
