"""What is read of incidents. All of it needs the scope of the actor's organization."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from apps.incidents.correlation.attempts.quiet_endings import endings_of
from apps.incidents.facade.incident_row import row_of
from apps.incidents.judgement import feedback
from apps.incidents.judgement import judged_incidents as judged
from apps.incidents.judgement.accuracy import Judged
from apps.incidents.lifecycle import resolution
from apps.incidents.lifecycle.resolution import AllowedActs
from apps.incidents.projection import access, incident_view, log_lines, stop_lines
from apps.incidents.projection.header_values import IncidentFacts, IncidentHeader
from apps.incidents.projection.headers import facts_of, read_header, read_headers
from apps.incidents.projection.hypotheses import read_hypotheses
from apps.incidents.projection.incident_filter import (
    IncidentFilter,
    met_parties,
    narrowed,
    sessions_hit,
)
from apps.incidents.projection.shared.recorded_access import recorded_access
from apps.incidents.projection.values import (
    Ending,
    HypothesisView,
    IncidentView,
    LineContext,
    LookFirst,
    PartyOpinion,
    TimelineMoment,
)
from apps.incidents.recurrence import past_incidents as recurrence
from apps.incidents.recurrence.past_incidents import PastIncidents
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.logs.raw_lines import CitedLine
from apps.tenancy.access import Actor, Right
from apps.tenancy.values import OrganizationName, ValueList


def open_incident(*, actor: Actor, public_id: str, right: Right = Right.READ) -> IncidentFacts:
    """Return the incident of that id, or the living one that it was merged into.

    Raises NotFound where the actor may not read it, or not do with it what `right` says.
    """
    row = access.access_incident(actor=actor, public_id=public_id, right=right)
    return facts_of(incident=row, reader_id=actor.organization.pk)


def list_incidents(  # noqa: PLR0913  what a list is narrowed by
    *,
    actor: Actor,
    status: str | None = None,
    layer: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    is_folded: bool = False,
    line: str | None = None,
    wanted: IncidentFilter | None = None,
) -> ValueList[IncidentHeader]:
    """Return the headers of what the actor's organization is a party of, newest first.

    Folded, one stands for those before it that say the same; `line` is the id of such a one: then
    the list is of those that it stands for.
    """
    rows = access.access_incidents(
        actor=actor, status=status, layer=layer, since=since, until=until, is_folded=is_folded
    )
    if wanted is not None:
        rows = narrowed(rows, actor=actor, wanted=wanted)
    if line is not None:
        head = open_incident(actor=actor, public_id=line)
        rows = rows.filter(pk__in=_lines(actor, [head])[head.id])
    return ValueList(rows=rows, project=lambda found: read_headers(actor=actor, incidents=found))


def hit_sessions(*, actor: Actor, layer: str, cause: str) -> frozenset[int]:
    """Return the ids of sessions that the newest incidents of a layer or cause hit, of those that
    the actor may know of.
    """
    return sessions_hit(actor=actor, layer=layer, cause=cause)


def parties_met(*, actor: Actor) -> tuple[OrganizationName, ...]:
    """Return the organizations that the actor's own met in incidents and may name, by name."""
    return met_parties(actor=actor)


def headers_for_all(
    *, actor: Actor, ids: Collection[int], read_by: Collection[int]
) -> list[IncidentHeader]:
    """Return headers of incidents, newest first, with what of the work each reader may know of."""
    rows = access.access_incidents(actor=actor).filter(pk__in=ids)
    return read_headers(actor=actor, incidents=list(rows), read_by=read_by)


def readable_ids(*, actor: Actor, public_ids: Collection[str]) -> frozenset[str]:
    """Return those of these ids that name an incident which the actor may read."""
    return access.readable_ids(actor=actor, public_ids=public_ids)


def count_incidents(*, actor: Actor, with_simulated: bool) -> int:
    """Return of how many incidents the actor's organization is a party."""
    rows = access.access_incidents(actor=actor)
    return (rows if with_simulated else rows.filter(is_simulated=False)).count()


def incidents_of_sessions(
    *, actor: Actor, session_ids: Collection[int]
) -> ValueList[IncidentHeader]:
    """Return the headers of what hit these sessions and the actor may read, newest first."""
    rows = access.incidents_of_sessions(actor=actor, session_ids=session_ids)
    return ValueList(rows=rows, project=lambda found: read_headers(actor=actor, incidents=found))


def quiet_endings(*, actor: Actor, session_ids: Collection[int]) -> Mapping[int, Ending]:
    """Return session id → how a session of the actor's organization ended without a failure."""
    return endings_of(actor=actor, session_ids=session_ids)


def incident_header(*, actor: Actor, public_id: str) -> IncidentHeader:
    """Return the header as the actor's organization reads it."""
    row = access.access_incident(actor=actor, public_id=public_id)
    return read_header(actor=actor, incident=row)


def incident_hypotheses(
    *, actor: Actor, public_id: str, channel: LedgerChannel | None = LedgerChannel.REST
) -> tuple[HypothesisView, ...]:
    """Return what may explain it, best first; without a channel nothing that others show.

    Raises LedgerUnavailable.
    """
    row = access.access_incident(actor=actor, public_id=public_id)
    with recorded_access(actor=actor, incident=row, channel=channel) as shown:
        return read_hypotheses(actor=actor, incident=row, access=shown)


def cited_line_context(
    *, actor: Actor, public_id: str, stream: str, host: str, number: int
) -> LineContext:
    """Return a line of the actor's own logs that an explanation rests on, with its neighbours.

    Raises NotFound for any other line.
    """
    views = incident_hypotheses(actor=actor, public_id=public_id, channel=None)
    return log_lines.line_context(
        actor=actor, hypotheses=views, stream=stream, host=host, number=number
    )


def lines_behind(*, actor: Actor, hypotheses: Sequence[HypothesisView]) -> Mapping[str, CitedLine]:
    """Return reference → line of the evidence, as far as the actor's organization sent it."""
    return log_lines.lines_behind(actor=actor, hypotheses=hypotheses)


def past_incidents(*, actor: Actor, header: IncidentHeader) -> PastIncidents:
    """Return earlier incidents that resemble one which the actor reads, and how often its hosts
    were blamed.
    """
    return recurrence.past_incidents(actor=actor, header=header)


def judged_incidents(*, actor: Actor) -> Sequence[Judged]:
    """Return the judged incidents that the actor may know of, the last judged first."""
    return judged.judged_incidents(actor=actor)


def incident_timeline(
    *, actor: Actor, public_id: str, channel: LedgerChannel = LedgerChannel.REST
) -> tuple[IncidentHeader, tuple[TimelineMoment, ...]]:
    """Return the header and the story in order. Raises LedgerUnavailable."""
    row = access.access_incident(actor=actor, public_id=public_id)
    header = read_header(actor=actor, incident=row)
    with recorded_access(actor=actor, incident=row, channel=channel) as shown:
        return header, incident_view.read_timeline(incident=row, access=shown)


def incident_view_of(
    *,
    actor: Actor,
    public_id: str,
    channel: LedgerChannel | None = LedgerChannel.PAGE,
    look_first: LookFirst | None = None,
) -> IncidentView:
    """Return everything that the actor's organization may read of it; without a channel nothing
    that others show. `look_first` may end it. Raises LedgerUnavailable.
    """
    row = access.access_incident(actor=actor, public_id=public_id)
    return incident_view.read_incident(
        actor=actor, incident=row, channel=channel, look_first=look_first
    )


def incident_story_of(
    *, actor: Actor, public_id: str, channel: LedgerChannel | None = LedgerChannel.PAGE
) -> IncidentView:
    """Return what a timeline shows of it, without what only the rest of a page needs.

    Without a channel nothing that others show. Raises LedgerUnavailable.
    """
    row = access.access_incident(actor=actor, public_id=public_id)
    return incident_view.read_story(actor=actor, incident=row, channel=channel)


def opinions_of(*, actor: Actor, incident: IncidentFacts) -> tuple[PartyOpinion, ...]:
    """Return what each party says of the verdict now, the first to judge first."""
    row = row_of(incident)
    told = feedback.opinions_of(actor=actor, incident=row)
    return tuple(feedback.opinion_value(each, incident=row) for each in told)


def allowed_acts(*, actor: Actor, incident: IncidentFacts) -> AllowedActs:
    """Return what the actor may do with the incident beside reading it."""
    return resolution.allowed_acts(actor=actor, incident=row_of(incident))


def line_lengths(*, actor: Actor, headers: Sequence[IncidentHeader]) -> Mapping[int, int]:
    """Return incident id → how many incidents it stands for, itself among them."""
    lines = _lines(actor, [header.incident for header in headers])
    return {head: len(members) for head, members in lines.items()}


def _lines(actor: Actor, heads: Sequence[IncidentFacts]) -> dict[int, list[int]]:
    return stop_lines.lines_of(heads=heads, reader_id=actor.organization.pk)
