"""What the search found → its page."""

from datetime import datetime
from urllib.parse import quote, urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.search.values import Hit, HitGroup, HitKind, LineCoverage, SearchResult
from apps.web import words
from apps.web.display.instants import day_text
from apps.web.display.layers import layer_mark
from apps.web.find.marks import marked
from apps.web.find.page import GROUPS, PROBLEMS, FindPage, FoundGroup, FoundRow


def compose(*, result: SearchResult, typed: str, org: str, now: datetime) -> FindPage:
    """Return the answer in words, each thing with the address of its exact place."""
    needle = result.query.text if result.query.xid is None else f"{result.query.xid}"
    return FindPage(
        typed=typed,
        groups=tuple(_group(each, needle, org, now) for each in result.groups),
        problem=_(text) if (text := PROBLEMS.get(result.query.problem, "")) else "",
        meant=result.query.meant,
        lines_note=_lines_note(result.lines),
        is_asked=bool(typed.strip()),
        address=f"{reverse('web:find', args=[org])}?{urlencode({'q': typed})}",
    )


def _group(group: HitGroup, needle: str, org: str, now: datetime) -> FoundGroup:
    rows = (_row(each, number, needle, org, now) for number, each in enumerate(group.hits))
    return FoundGroup(name=_(GROUPS[group.kind]), rows=tuple(rows), has_more=group.has_more)


def _row(hit: Hit, number: int, needle: str, org: str, now: datetime) -> FoundRow:
    detail = words.said(words.STREAMS, hit.detail, "") if hit.kind is HitKind.LINE else hit.detail
    return FoundRow(
        option_id=f"found-{hit.kind}-{number}",
        address=address_of(hit=hit, org=org),
        title=marked(text=hit.title, needle=needle),
        detail=marked(text=detail, needle=needle),
        beside=" · ".join(filter(None, _beside(hit))),
        when=_when(hit, now),
        layer=layer_mark(hit.layer) if hit.layer else None,
    )


def _beside(hit: Hit) -> tuple[str, ...]:
    if hit.kind in {HitKind.INCIDENT, HitKind.WARNING}:
        return (hit.id, hit.cluster_name)
    if hit.kind is HitKind.ANNOTATION:
        return (hit.incident,)
    if hit.kind is HitKind.LINE:
        return (hit.host, hit.session)
    return (hit.cluster_name,)


def _when(hit: Hit, now: datetime) -> str:
    if hit.at is None:
        return ""
    at = day_text(hit.at, now=now)
    return _("taken out %(at)s") % {"at": at} if hit.kind is HitKind.GPU else at


def address_of(*, hit: Hit, org: str) -> str:
    """Return the address of the exact place of something that was found."""
    one = {
        HitKind.INCIDENT: ("web:incident", hit.id),
        HitKind.SESSION: ("web:session", hit.id),
        HitKind.REPORT: ("web:report", hit.id),
        HitKind.ANNOTATION: ("web:incident", hit.incident),
    }
    if hit.kind in one:
        route, name = one[hit.kind]
        place = f"#{hit.id}" if hit.kind is HitKind.ANNOTATION else ""
        return reverse(route, args=[org, name]) + place
    if hit.kind in {HitKind.NODE, HitKind.GPU}:
        place = "#parts" if hit.kind is HitKind.GPU else ""
        return reverse("web:node", args=[org, hit.cluster, hit.host]) + place
    if hit.kind is HitKind.CAUSE:
        return f"{reverse('web:incidents', args=[org])}?{urlencode({'cause': hit.id})}"
    if hit.kind is HitKind.LINE:
        return f"{reverse('web:found_line', args=[org])}?{urlencode({'at': hit.id})}"
    return reverse("web:warnings", args=[org]) + _of_warning(hit)


def _of_warning(hit: Hit) -> str:
    kind = {"kind": "signals"} if hit.is_of_signals else {}
    return f"?{urlencode({**kind, 'id': hit.id})}#{quote(hit.id)}"


def _lines_note(lines: LineCoverage | None) -> str:
    if lines is None:
        return ""
    if not lines.line_count:
        return _("You hold no log lines.")
    count = ngettext("%(n)s log line", "%(n)s log lines", lines.line_count)
    said = count % {"n": f"{lines.line_count:,}"}
    if lines.is_whole or lines.reached is None:
        return _("Looked through your newest %(lines)s.") % {"lines": said}
    told = {"lines": said, "day": lines.reached.isoformat()}
    return (
        _("Looked through your newest %(lines)s, which came in since %(day)s; not older ones.")
        % told
    )
