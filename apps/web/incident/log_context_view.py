"""A cited log line among its neighbours: read in place on the incident, or by its own address."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.diagnosis.input_values import whole_number
from apps.incidents.facade.reads import (
    cited_line_context,
    open_incident,
)
from apps.incidents.facade.shared import shared_line_context
from apps.incidents.projection.values import LineContext
from apps.telemetry.facade.held_logs import key_of_stream
from apps.tenancy.access import NotFound
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.display.instants import instant
from apps.web.display.levels import shared_mark
from apps.web.shell.render import show, zone_of

SHOWN_LETTERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRow:
    """A line of the log."""

    number: int
    at: str
    text: str
    is_asked: bool
    is_cited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogContext:
    """A cited line and those around it, as the page shows them."""

    incident: str
    kind: str
    host: str
    number: int
    rows: tuple[ContextRow, ...]
    log: str = ""  # names the reader's own log; empty: another party's
    shown_by: str = ""  # another party, and how much; empty: the reader's own


@require_GET
def log_context(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Show a line that an explanation rests on with its neighbours, to who sent the log."""
    found = open_incident(actor=request.actor, public_id=public_id)
    if "place" in request.GET:
        page = _shared_page(request, found.public_id)
        return _shown(request, page)
    if "line" not in request.GET:
        return redirect("web:incident", org, found.public_id)
    number = whole_number(request.GET["line"])
    if number is None:
        raise NotFound
    context = cited_line_context(
        actor=request.actor,
        public_id=found.public_id,
        stream=request.GET.get("stream", ""),
        host=request.GET.get("host", ""),
        number=number,
    )
    log = key_of_stream(actor=request.actor, stream_id=context.stream_id) or ""
    return _shown(request, _page(context, found.public_id, zone_of(request), log=log))


def _shown(request: OrganizationRequest, page: LogContext) -> HttpResponse:
    is_part = bool(request.headers.get("HX-Request"))
    return show(
        request,
        "web/incident/log_context.html" if is_part else "web/incident/log_context_page.html",
        section="incidents",
        now=timezone.now(),
        page=page,
    )


def _shared_page(request: OrganizationRequest, public_id: str) -> LogContext:
    context = shared_line_context(
        actor=request.actor,
        public_id=public_id,
        holder=request.GET.get("holder", ""),
        place=request.GET["place"],
    )
    zone = zone_of(request)
    return LogContext(
        incident=public_id,
        kind=words.source(f"{context.stream}-log"),
        host=context.host,
        number=0,
        shown_by=shared_mark(context.shared),
        # By which number its holder finds a line again stays with the holder.
        rows=tuple(
            ContextRow(
                number=number,
                at=instant(line.at, zone=zone).text if line.at else "",
                text=line.text[:SHOWN_LETTERS],
                is_asked=line.offset == 0,
                is_cited=line.offset == 0,
            )
            for number, line in enumerate(context.lines, start=1)
        ),
    )


def _page(context: LineContext, public_id: str, zone: ZoneInfo | None, *, log: str) -> LogContext:
    return LogContext(
        incident=public_id,
        log=log,
        kind=words.source(f"{context.stream}-log"),
        host=context.host,
        number=context.number,
        rows=tuple(
            ContextRow(
                number=line.number,
                at=instant(line.at, zone=zone).text if line.at else "",
                text=line.text[:SHOWN_LETTERS],
                is_asked=line.number == context.number,
                is_cited=line.number in context.cited,
            )
            for line in context.lines
        ),
    )
