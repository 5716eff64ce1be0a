"""Logs that the organization in the path holds itself: the list, and one of them at any place."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.diagnosis.input_values import MOST_ROWS, whole_number
from apps.diagnosis.patterns import BadPattern
from apps.telemetry.facade import held_logs
from apps.telemetry.held_logs.line_reading import LEVELS
from apps.telemetry.held_logs.stream_access import MOST_STREAMS
from apps.telemetry.held_logs.values import HeldExtent, HeldStream
from apps.telemetry.retention.quota import size_text
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.display.choices import SegmentLink
from apps.web.logs import stream_part
from apps.web.logs.page import ColumnsPart, LinesPart, LogsPage, StreamEntry, StreamPage
from apps.web.logs.place import LogPlace, place_of, written
from apps.web.logs.rows import covers, level_words, stream_entry
from apps.web.shell.address_filters import known, link
from apps.web.shell.render import show

OTHERS_SHOWN = 24


@require_GET
def logs(request: OrganizationRequest, org: str) -> HttpResponse:
    """List the logs that the organization holds, by session, host and kind."""
    asked = {name: request.GET.get(name, "").strip()[:253] for name in ("session", "host")}
    kind = known(request, "kind", words.STREAMS)
    streams = held_logs.list_streams(actor=request.actor, **asked, kind=kind)
    page = LogsPage(
        streams=tuple(stream_entry(each) for each in streams[:MOST_STREAMS]),
        is_cut=len(streams) > MOST_STREAMS,
        hosts=held_logs.hosts_heard(actor=request.actor),
        kinds=_kinds(asked, kind),
        kind=kind,
        keeps=_keeps(held_logs.keep_days()),
        is_filtered=any((*asked.values(), kind)),
        **asked,
    )
    return show(request, "web/logs/page.html", section="logs", now=timezone.now(), page=page)


@require_GET
def stream(request: OrganizationRequest, org: str, key: str) -> HttpResponse:
    """Show one log at a place, what a search finds in it, or others beside it."""
    opened = held_logs.open_stream(actor=request.actor, key=key)
    place = place_of(request)
    part, columns, note, problem = _shown(request, opened, place)
    page = _page(request, opened, place, part=part, columns=columns, note=note, problem=problem)
    is_part = request.headers.get("HX-Request") and request.headers.get("HX-Target") == "log-lines"
    template = "web/logs/lines.html" if is_part else "web/logs/stream.html"
    status = 422 if problem and place.is_search else 200
    return show(request, template, section="logs", now=timezone.now(), status=status, page=page)


@require_GET
def download(request: OrganizationRequest, org: str, key: str) -> HttpResponse:
    """Send the text of lines as it came in, as a file."""
    first, last = (
        whole_number(request.GET.get(name, ""), most=MOST_ROWS) for name in ("from", "until")
    )
    if not first or not last or last < first:
        return redirect("web:log", org, held_logs.open_stream(actor=request.actor, key=key).key)
    body, until = held_logs.text_between(actor=request.actor, key=key, first=first, last=last)
    answer = HttpResponse(body, content_type="text/plain; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{key}-{first}-{until}.log"'
    answer["X-Content-Type-Options"] = "nosniff"
    return answer


def _shown(
    request: OrganizationRequest, stream: HeldStream, place: LogPlace
) -> tuple[LinesPart | None, ColumnsPart | None, str, str]:
    """Return the lines or columns, what is said of the search, and what is wrong."""
    actor = request.actor
    if place.is_search:
        try:
            part, note = stream_part.found(actor=actor, stream=stream, place=place)
        except BadPattern as error:
            text = _(
                "The pattern can't be used: %(why)s. It is RE2: no look-around, no back-references."
            )
            return None, None, "", text % {"why": error}
        return part, None, note, ""
    if place.beside:
        columns = stream_part.columns(actor=actor, stream=stream, place=place)
        problem = "" if columns else _("Its lines have no times that others could stand beside.")
        return None, columns, "", problem
    part = stream_part.stretch(actor=actor, stream=stream, place=place)
    is_lost = place.at is not None and stream.first_at is None
    problem = _("Its lines have no times with a zone: go by the number of a line.")
    return part, None, "", problem if is_lost else ""


def _page(  # noqa: PLR0913  what a page is made of
    request: OrganizationRequest,
    stream: HeldStream,
    place: LogPlace,
    *,
    part: LinesPart | None,
    columns: ColumnsPart | None,
    note: str,
    problem: str,
) -> StreamPage:
    entry = stream_entry(stream)
    rows = [row for row in part.rows if not row.gap] if part else []
    numbers = {"from": str(rows[0].number), "until": str(rows[-1].number)} if rows else {}
    return StreamPage(
        stream=entry,
        title=f"{entry.kind}, {entry.name}",
        lead=covers(stream),
        kept=_kept(held_logs.extent_of(actor=request.actor, stream=stream)),
        part=part,
        columns=columns,
        search_note=note,
        problem=problem,
        q=place.query.text,
        is_pattern=place.query.is_pattern,
        is_exact_case=not place.query.ignores_case,
        level=place.query.level,
        levels=tuple((level, level_words()[level]) for level in LEVELS),
        at=written(place.at) if place.at else "",
        beside=",".join(place.beside),
        others=_others(request, stream, place),
        download_query=link(**numbers) if numbers and not place.is_search else "",
        api_query=link(**{"from": numbers["from"]}) if numbers else "",
        is_simulated=stream.is_simulated,
    )


def _others(
    request: OrganizationRequest, stream: HeldStream, place: LogPlace
) -> tuple[StreamEntry, ...]:
    """Return logs of the same session, else of the same host, to be read beside it."""
    by = {"session": stream.session} if stream.session else {"host": stream.host}
    if not any(by.values()):
        return ()
    at = place.at or stream.first_at
    when = {"at": written(at)} if at else {}
    found = held_logs.list_streams(actor=request.actor, **by)
    others = [each for each in found if each.key != stream.key and each.key not in place.beside]
    return tuple(
        stream_entry(
            each, beside_query=link(**{"with": ",".join((*place.beside, each.key))}, **when)
        )
        for each in others[:OTHERS_SHOWN]
    )


def _kinds(asked: dict[str, str], chosen: str) -> tuple[SegmentLink, ...]:
    texts = {"": _("Any kind"), **{kind: words.said(words.STREAMS, kind) for kind in words.STREAMS}}
    return tuple(
        SegmentLink(text=text, query=link(**asked, kind=kind), is_on=kind == chosen)
        for kind, text in texts.items()
    )


def _keeps(days: int | None) -> str:
    if days is None:
        return _("Text is kept until somebody deletes it.")
    return _("Text is kept for %(n)s days; lines that incidents cite, longer.") % {"n": days}


def _kept(extent: HeldExtent) -> str:
    """Return what of a log is kept, and what is not."""
    told = _("%(kept)s of %(all)s lines are kept (%(size)s compressed).") % {
        "kept": f"{extent.kept_lines:,}",
        "all": f"{extent.line_count:,}",
        "size": size_text(extent.kept_bytes),
    }
    if extent.gone_lines:
        gone = _("%(n)s went after %(days)s days.")
        told += " " + gone % {"n": f"{extent.gone_lines:,}", "days": extent.keep_days}
    if extent.excerpt_lines:
        cited = _("%(n)s of the kept ones only stand around what incidents cite.")
        told += " " + cited % {"n": f"{extent.excerpt_lines:,}"}
    return told
