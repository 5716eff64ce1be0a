"""Log lines behind what others show: of each the text, as far as its holder shows that, too."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from apps.incidents.models import EvidenceItem
from apps.incidents.projection.shared.shared_access import SharedAccess
from apps.incidents.projection.shared_values import SharedAs, SharedLine
from apps.sharing.grant_values import Grant, SharedThing
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level
from apps.telemetry.logs.raw_lines import CitedLine, cited_lines
from apps.telemetry.retention.citation_keys import line_place
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization

SHOWN = frozenset({Level.REDACTED, Level.FULL})


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesBehind:
    """Evidence id → its line, or the class of the log that hides it by the level in force."""

    shown: dict[int, SharedLine] = field(default_factory=dict)
    hidden: dict[int, str] = field(default_factory=dict)  # logs:kernel


def shared_lines(
    *,
    access: SharedAccess,
    grant: Grant,
    rows: Sequence[tuple[EvidenceItem, SharedAs]],
    redactor: Redactor,
) -> LinesBehind:
    """Return the lines of what is shown. Needs the holder's scope.

    A line is shown where both the fact that it tells and the log that it stands in are. That it is
    hidden says nothing of whether it is kept.
    """
    shown_rows = [row for row, shown in rows if shown.level in SHOWN]
    told = [row for row in shown_rows if line_place(reference=row.reference)]
    if not told:
        return LinesBehind()
    lines = cited_lines(actor=reader_of(grant), references={row.reference for row in told})
    found = LinesBehind()
    for row in told:
        line = lines[row.reference]
        thing = thing_of_line(row, line)
        shown = access.shown(grant, thing)
        if shown is None or shown.level not in SHOWN:
            found.hidden[row.pk] = thing.data
        elif line.text is not None:
            found.shown[row.pk] = _line(row, line, shown, redactor)
    return found


def streams_of(*, grant: Grant, rows: Sequence[EvidenceItem]) -> dict[str, str]:
    """Return reference → log in which it stands, where a log was asked for. Needs the scope."""
    asked = any(rule.family == "logs" for rule in grant.asked)
    told = {row.reference for row in rows if line_place(reference=row.reference)}
    if not asked or not told:
        return {}
    lines = cited_lines(actor=reader_of(grant), references=told)
    return {name: line.stream or "session" for name, line in lines.items()}


def reader_of(grant: Grant) -> Actor:
    """Return who reads what a holder has, in the holder's scope."""
    holder = Organization.objects.get(pk=grant.holder.id)
    return Actor(organization=holder, rights=frozenset({Right.READ}))


def thing_of_line(row: EvidenceItem, line: CitedLine) -> SharedThing:
    """Return of which classes a cited line is, where and when."""
    return SharedThing(
        data=f"logs:{line.stream or 'session'}",
        host=line.host,
        at=line.at or row.at,
        attempt_id=row.attempt_id,
        more=frozenset({f"events:{row.layer or 'unknown'}"}),
        stream=line.stream or "session",
    )


def _line(row: EvidenceItem, line: CitedLine, shown: SharedAs, redactor: Redactor) -> SharedLine:
    return SharedLine(
        shared=shown,
        stream=line.stream or "session",
        host=redactor.host(line.host, shown.level),
        at=row.at or line.at,
        text=redactor.text(line.text or "", shown.level),
    )
