"""A cited line that another party shows, among its neighbours, as far as it shows these, too."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from apps.incidents.models import EvidenceItem
from apps.incidents.projection.shared.shared_access import SharedAccess
from apps.incidents.projection.shared.shared_evidence import shown_rows
from apps.incidents.projection.shared.shared_lines import SHOWN, reader_of, thing_of_line
from apps.incidents.projection.shared_values import SharedContext, SharedContextLine
from apps.sharing.grant_values import Grant, SharedThing
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level
from apps.telemetry.logs.raw_lines import CitedLine, RawLine, cited_lines, lines_around
from apps.telemetry.retention.citation_keys import line_place
from apps.tenancy.access import NotFound

NEIGHBOURS: Final = 3  # on each side
# One line of these speaks for one job, its neighbours for those of others.
OF_MANY_SESSIONS: Final = frozenset({"scheduler", "storage", "fabric"})


def shared_context(*, access: SharedAccess, holder: str, place: str) -> SharedContext:
    """Return a line that explanations rest on with its neighbours; `place` is `place_of` it.

    Raises NotFound for one that the holder does not show. Needs the reader's scope.
    """
    for grant in access.grants:
        if grant.holder.slug != holder:
            continue
        with access.held_by(grant) as redactor:
            found = _context(access, grant, place, redactor)
            if found is not None:
                return found
    raise NotFound


def place_of(*, cause: str, side: str, position: int) -> str:
    """Return what names a piece of evidence within its incident and holder."""
    return f"{cause}:{side}:{position}"


def _context(
    access: SharedAccess, grant: Grant, place: str, redactor: Redactor
) -> SharedContext | None:
    rows = [
        row
        for row, shown in shown_rows(access, grant)
        if shown.level in SHOWN and line_place(reference=row.reference)
    ]
    named = (
        row
        for row in rows
        if place_of(cause=row.cause, side=row.side, position=row.position) == place
    )
    row = next(named, None)
    if row is None:
        return None
    line = cited_lines(actor=reader_of(grant), references={row.reference})[row.reference]
    thing = thing_of_line(row, line)
    shown = access.shown(grant, thing) if line.text is not None else None
    if shown is None or shown.level not in SHOWN:
        return None
    near = _neighbours(access, grant, row, line, thing)
    level = min([shown.level, *(each for _, each in near)], key=lambda each: each.rank)
    host = redactor.host(line.host, level)
    lines = _redacted([each for each, _ in near], line.number, redactor, level)
    shown = replace(shown, level=level)
    for each in lines:
        access.handed_out.add(shown, f"logs:{line.stream}", host, each.at, each.text)
    return SharedContext(shared=shown, stream=line.stream, host=host, lines=lines)


def _neighbours(
    access: SharedAccess, grant: Grant, row: EvidenceItem, line: CitedLine, thing: SharedThing
) -> list[tuple[RawLine, Level]]:
    """Return the line and those around it that its holder shows, each by its own time."""
    stream_id, _ = line_place(reference=row.reference) or (0, 0)
    hides_others = line.stream in OF_MANY_SESSIONS and not access.names.knows_all_hosts
    found = []
    for each in lines_around(
        actor=reader_of(grant),
        stream_id=stream_id,
        number=line.number,
        margin=0 if hides_others else NEIGHBOURS,
    ):
        shown = access.shown(grant, replace(thing, at=each.at or thing.at))
        if shown is not None and shown.level in SHOWN:
            found.append((each, shown.level))
    return found


def _redacted(
    lines: Sequence[RawLine], cited: int, redactor: Redactor, level: Level
) -> tuple[SharedContextLine, ...]:
    """Return the lines as they are shown: one text, so that what hides is read once."""
    text = "\n".join(" ".join(each.text.splitlines()) for each in lines)
    told = redactor.text(text, level).split("\n")
    return tuple(
        SharedContextLine(offset=line.number - cited, at=line.at, text=shown)
        for line, shown in zip(lines, told, strict=True)
    )
