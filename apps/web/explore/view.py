"""Explore: a signal or PromQL of one's own sources, or what is kept of an incident."""

import csv
import io
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.diagnosis.detection.metrics.load import catalog
from apps.telemetry.facade.explore import (
    MetricAnswer,
    QueryRefusal,
    QuestionRefused,
    ask_promql,
    ask_signal,
)
from apps.telemetry.facade.held_logs import hosts_heard
from apps.telemetry.facade.sources import list_sources
from apps.tenancy.access import NotFound
from apps.tenancy.middleware import OrganizationRequest, without_any_scope
from apps.tenancy.scope import organization_scope
from apps.web.display.choices import SegmentLink
from apps.web.explore.answers import csv_lines, kept_result, problem_of, result_of
from apps.web.explore.asked import RANGES, ExploreRequest, asked_of
from apps.web.explore.page import ExplorePage, ExploreResult, SignalChoice, SourceChoice
from apps.web.logs.place import written
from apps.web.shell.address_filters import link
from apps.web.shell.render import show
from apps.web.shell.shared_reads import read_with_shared

Result = TypeVar("Result")
MOST_SOURCES = 50


@without_any_scope
@require_GET
def explore(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show what is asked for. While a server is asked, no transaction is open."""
    now = timezone.now()
    asked = _in_scope(request, lambda: asked_of(request, now=now))
    result, problem = _result(request, asked)
    return _in_scope(
        request, lambda: _page(request, asked, result=result, problem=problem, now=now)
    )


@without_any_scope
@require_GET
def explore_csv(request: OrganizationRequest, org: str) -> HttpResponse:
    """Send the samples of an answer as a table; of what is refused there is none."""
    asked = _in_scope(request, lambda: asked_of(request, now=timezone.now()))
    try:
        answer = _answer(request, asked)
    except QuestionRefused as error:
        raise NotFound from error
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(csv_lines(answer))
    sent = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    sent["Content-Disposition"] = 'attachment; filename="metrics.csv"'
    return sent


def _in_scope(request: OrganizationRequest, read: Callable[[], Result]) -> Result:
    with organization_scope(request.actor.organization.pk):
        return read()


def _result(
    request: OrganizationRequest, asked: ExploreRequest
) -> tuple[ExploreResult | None, str]:
    """Return what came of the question, or in words why nothing did."""
    if not asked.is_question:
        return None, ""
    try:
        if asked.incident and not asked.source:
            return _in_scope(request, lambda: _kept(request, asked)), ""
        return result_of(_answer(request, asked), title=_title(asked)), ""
    except QuestionRefused as error:
        return None, problem_of(error)


def _answer(request: OrganizationRequest, asked: ExploreRequest) -> MetricAnswer:
    """Return what a source says; raise NotFound, QuestionRefused."""
    source = asked.source or _in_scope(request, lambda: _first_source(request))
    if not source:
        raise QuestionRefused(QueryRefusal.NOT_SERVED)
    if asked.q:
        return ask_promql(actor=request.actor, source=source, query=asked.q, span=asked.span)
    return ask_signal(
        actor=request.actor,
        source=source,
        signal=asked.signal,
        span=asked.span,
        host=asked.host,
        gpu=asked.gpu,
    )


def _kept(request: OrganizationRequest, asked: ExploreRequest) -> ExploreResult:
    if asked.q:
        raise QuestionRefused(
            QueryRefusal.REFUSED, _("Of what is kept, only signals can be asked.")
        )
    return read_with_shared(
        request,
        lambda channel: kept_result(
            actor=request.actor,
            incident=asked.incident,
            signal=asked.signal,
            host=asked.host,
            channel=channel,
        ),
    )


def _first_source(request: OrganizationRequest) -> str:
    return next((each.public_id for each in list_sources(actor=request.actor)[:1]), "")


def _title(asked: ExploreRequest) -> str:
    known = catalog().signals.get(asked.signal)
    return _(known.title) if known and not asked.q else asked.q[:120] or asked.signal


def _page(
    request: OrganizationRequest,
    asked: ExploreRequest,
    *,
    result: ExploreResult | None,
    problem: str,
    now: datetime,
) -> HttpResponse:
    sources = list(list_sources(actor=request.actor)[:MOST_SOURCES])
    chosen = asked.source or ("" if asked.incident or not sources else sources[0].public_id)
    page = ExplorePage(
        sources=tuple(
            SourceChoice(public_id=each.public_id, name=each.name, is_on=each.public_id == chosen)
            for each in sources
        ),
        signals=tuple(
            SignalChoice(name=each.name, title=_(each.title))
            for each in catalog().signals.values()
            if each.is_core or each.watch
        ),
        hosts=hosts_heard(actor=request.actor),
        ranges=_ranges(asked),
        signal=asked.signal,
        host=asked.host,
        gpu="" if asked.gpu is None else str(asked.gpu),
        session=asked.session,
        incident=asked.incident,
        q=asked.q,
        starts_at=written(asked.span.starts_at),
        ends_at=written(asked.span.ends_at),
        result=result,
        problem=problem,
        csv_query=link(**_parameters(asked, source=chosen)) if result and chosen else "",
        api_query=link(**_parameters(asked, source=chosen)) if result and chosen else "",
    )
    status = 422 if problem else 200
    return show(
        request, "web/explore/page.html", section="explore", now=now, status=status, page=page
    )


def _parameters(asked: ExploreRequest, *, source: str) -> dict[str, str]:
    """Return what asks for the same again, at the same time."""
    told = {
        "source": source,
        "signal": "" if asked.q else asked.signal,
        "host": asked.host,
        "gpu": "" if asked.gpu is None else str(asked.gpu),
        "q": asked.q,
        "from": written(asked.span.starts_at),
        "until": written(asked.span.ends_at),
    }
    return {name: value for name, value in told.items() if value}


def _ranges(asked: ExploreRequest) -> tuple[SegmentLink, ...]:
    kept = _parameters(asked, source=asked.source)
    rest = {name: value for name, value in kept.items() if name not in {"from", "until"}}
    rest |= {"incident": asked.incident} if asked.incident else {}
    return tuple(
        SegmentLink(text=each, query=link(**rest, range=each), is_on=each == asked.range)
        for each in RANGES
    )
