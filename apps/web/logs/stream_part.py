"""The lines that a page of a log shows: a stretch, what a search found, or logs side by side."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.incidents.facade.line_citations import incidents_citing
from apps.telemetry.facade import held_logs
from apps.telemetry.held_logs.aligned_columns import AlignedPage
from apps.telemetry.held_logs.values import HeldStream, LinePage, SearchPage
from apps.tenancy.access import Actor
from apps.web.logs.page import CellBlock, ColumnsPart, LinesPart
from apps.web.logs.place import LogPlace, written
from apps.web.logs.rows import line_rows, references, stream_entry
from apps.web.shell.address_filters import link

EARLIER = timedelta(minutes=1)


def stretch(*, actor: Actor, stream: HeldStream, place: LogPlace) -> LinesPart:
    """Return the lines at a place; without one, the newest."""
    page, asked = _stretch(actor, stream, place)
    return LinesPart(
        rows=line_rows(page.lines, page.gaps, asked=asked, cited=_cited(actor, page)),
        older_query=link(before=str(page.first)) if page.has_older and page.first else "",
        newer_query=link(**{"from": str(page.last + 1)}) if page.has_newer and page.last else "",
        own_query=link(**{"from": str(page.first)}) if page.first else "",
        note=_("Parts of this stretch overlap too widely to be put in order: as they arrived.")
        if page.is_rough
        else "",
    )


def _stretch(actor: Actor, stream: HeldStream, place: LogPlace) -> tuple[LinePage, int | None]:
    key = stream.key
    number = place.line
    if number is None and place.at is not None:
        number = held_logs.place_of_time(actor=actor, key=key, at=place.at)
    if number is not None:
        number = min(number, max(stream.line_count, 1))
        return held_logs.page_around(actor=actor, key=key, number=number), number
    if place.first is not None:
        return held_logs.page_from(actor=actor, key=key, number=place.first), None
    before = place.before or stream.line_count + 1
    return held_logs.page_before(actor=actor, key=key, number=before), None


def found(*, actor: Actor, stream: HeldStream, place: LogPlace) -> tuple[LinesPart, str]:
    """Return what a search found, and how far it got; raise BadPattern."""
    is_backward = place.first is None
    number = place.first or place.before or stream.line_count + 1
    page = held_logs.search_lines(
        actor=actor, key=stream.key, query=place.query, number=number, is_backward=is_backward
    )
    asked = search_parameters(place)
    goes_on = "" if page.next_number is None else str(page.next_number)
    cited = incidents_citing(actor=actor, references=references(page.lines))
    part = LinesPart(
        rows=line_rows(page.lines, cited=cited),
        older_query=link(**asked, before=goes_on) if goes_on and is_backward else "",
        newer_query=link(**asked, **{"from": goes_on}) if goes_on and not is_backward else "",
        own_query="",
        note="",
    )
    return part, _search_note(page)


def search_parameters(place: LogPlace) -> Mapping[str, str]:
    """Return what an address says of a search."""
    query = place.query
    asked = {
        "q": query.text,
        "mode": "pattern" if query.is_pattern else "",
        "case": "" if query.ignores_case else "exact",
        "level": query.level,
    }
    return {name: value for name, value in asked.items() if value}


def columns(*, actor: Actor, stream: HeldStream, place: LogPlace) -> ColumnsPart | None:
    """Return the log beside others from a time on; None where none of them has any time."""
    at = place.at or stream.first_at
    if at is None:
        return None
    keys = (stream.key, *(each for each in place.beside if each != stream.key))
    page = held_logs.aligned_page(actor=actor, keys=keys, at=at)
    beside = ",".join(place.beside)
    return ColumnsPart(
        heads=tuple(stream_entry(each) for each in page.streams),
        rows=_column_rows(actor, page),
        untimed=", ".join(
            stream_entry(each).name for each in page.streams if each.key in page.untimed
        ),
        older_query=link(**{"with": beside}, at=written(at - EARLIER)),
        newer_query=link(**{"with": beside}, at=written(page.next_at)) if page.next_at else "",
    )


def _column_rows(actor: Actor, page: AlignedPage) -> tuple[tuple[str, tuple[CellBlock, ...]], ...]:
    shown = [line for row in page.rows for cell in row.cells for line in cell.lines]
    cited = incidents_citing(actor=actor, references=references(shown))
    words = _state_words()
    return tuple(
        (
            f"{row.at:%m-%d %H:%M:%S}",
            tuple(
                CellBlock(
                    key=head.key,
                    state=cell.state,
                    word=words.get(cell.state, ""),
                    rows=tuple(replace(each, at="") for each in line_rows(cell.lines, cited=cited)),
                )
                for head, cell in zip(page.streams, row.cells, strict=True)
            ),
        )
        for row in page.rows
    )


def _state_words() -> Mapping[str, str]:
    return {
        "quiet": _("no line"),
        "gone": _("not kept any more"),
        "outside": _("not held"),
    }


def _cited(actor: Actor, page: LinePage) -> Mapping[str, tuple[str, ...]]:
    return incidents_citing(actor=actor, references=references(page.lines))


def _search_note(page: SearchPage) -> str:
    told = ngettext(
        "%(hits)s line matches of %(searched)s that were searched.",
        "%(hits)s lines match of %(searched)s that were searched.",
        len(page.lines),
    ) % {
        "hits": f"{len(page.lines):,}",
        "searched": f"{page.searched_lines:,}",
    }
    if page.missing_lines:
        missing = _("%(n)s lines are not kept any more: nobody knows whether they match.")
        told += " " + missing % {"n": f"{page.missing_lines:,}"}
    return told
