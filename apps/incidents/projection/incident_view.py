"""An incident as one organization reads it: the only thing that pages, REST and exports show."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.fleet.models import Attempt, Part
from apps.incidents.access import (
    known_parties,
    party_of,
    present_parties,
    rights_of_party,
    sessions_of,
)
from apps.incidents.annotations import annotations_of
from apps.incidents.correlation.reader_scope import (
    as_faced,
    header_of,
    hypothesis_of,
    is_one_of_several_tenants,
    own_conclusion,
)
from apps.incidents.correlation.undiagnosed import FailingDiagnosis, failing_of
from apps.incidents.models import (
    Annotation,
    EvidenceItem,
    Hypothesis,
    Incident,
    IncidentParty,
    IncidentSession,
    TimelineEntry,
)
from apps.incidents.snapshots import (
    as_it_stood,
    evidence_then,
    hypotheses_then,
    sessions_then,
    snapshots_of,
)
from apps.incidents.timeline import current_entries
from apps.sharing import projection
from apps.sharing.projection import PartyRights
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.models import Organization


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyView:
    """A party as a chip: who, in which parts, and whether it is expected to act."""

    organization: Organization
    parts: tuple[str, ...]
    is_reader: bool
    acts: bool  # owns the next action
    acknowledged_at: datetime | None  # of the reader's own organization; others tell by entry


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldEvidence:
    """What another party holds: its layer and weight, never its words."""

    organization: Organization
    side: str
    layer: str
    count: int
    weight: float
    is_claimed: bool = False  # its holder does not run what it tells of


@dataclass(frozen=True, slots=True, kw_only=True)
class HypothesisView:
    """A hypothesis with the reader's own evidence and counts of what others hold."""

    layer: str
    cause: str
    probability: float
    cause_probability: float
    culprits: Sequence[Mapping[str, Any]] | None  # None: hidden by policy
    supporting: tuple[EvidenceItem, ...]
    opposing: tuple[EvidenceItem, ...]
    held: tuple[HeldEvidence, ...]
    missing: Sequence[Mapping[str, Any]]  # {"source","hosts","held_by","would","holders"}
    ruled_out_because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentHeader:
    """The shared header, projected for one reader. None stands for hidden by policy."""

    incident: Incident
    reader: Organization
    rights: PartyRights
    attempts: tuple[Attempt, ...]  # those the reader may know of, session loaded
    culprits: Sequence[Mapping[str, Any]] | None
    restart: Mapping[str, Any]
    coverage: Sequence[Mapping[str, Any]]
    actions: Sequence[Mapping[str, Any]]
    first_stopper: Mapping[str, Any] | None
    parties: tuple[PartyView, ...]
    is_collecting: bool
    left_at: datetime | None = None  # when the reader left the cluster: it stood so then

    def asked(self, part: str) -> tuple[PartyView, ...]:
        """Return who is to be asked for what a part holds or does: the operator for a part that
        nobody has.
        """
        held = {each for party in self.parties for each in party.parts}
        wanted = part if part in held else Part.OPERATOR
        return tuple(party for party in self.parties if wanted in party.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentView:
    """Everything of an incident that one organization may read."""

    header: IncidentHeader
    hypotheses: tuple[HypothesisView, ...]
    timeline: tuple[TimelineEntry, ...]
    annotations: tuple[Annotation, ...]
    present: frozenset[int]  # who takes part in the cluster now: whom a note can be written for
    failing: FailingDiagnosis | None = None  # what is shown may be missing or old


def read_header(*, actor: Actor, incident: Incident) -> IncidentHeader:
    """Return the header as the actor's organization reads it. Needs its scope."""
    (header,) = read_headers(actor=actor, incidents=[incident]) or (None,)
    if header is None:
        raise NotFound
    return header


def read_headers(*, actor: Actor, incidents: Sequence[Incident]) -> list[IncidentHeader]:
    """Return the headers of incidents that came through a door, in their order."""
    rows = IncidentParty.objects.for_organization(actor.organization).filter(incident__in=incidents)
    mine = {row.incident_id: row for row in rows}
    left = [each for each in incidents if each.pk in mine and mine[each.pk].left_at]
    kept = snapshots_of(organization_id=actor.organization.pk, incidents=left) if left else {}
    incidents = [as_it_stood(incident=each, snapshot=kept.get(each.pk)) for each in incidents]
    known = {
        incident.pk: known_parties(incident=incident, organization_id=actor.organization.pk)
        for incident in incidents
    }
    ids = {party["organization"] for parties in known.values() for party in parties}
    organizations = Organization.objects.in_bulk(ids)
    sessions = _sessions(incidents)
    return [
        _header(
            actor=actor,
            incident=incident,
            mine=mine[incident.pk],
            parties=[(organizations[each["organization"]], each) for each in known[incident.pk]],
            sessions=sessions.get(incident.pk, ()),
        )
        for incident in incidents
        if incident.pk in mine
    ]


def _sessions(incidents: Sequence[Incident]) -> dict[int, tuple[IncidentSession, ...]]:
    found: dict[int, tuple[IncidentSession, ...]] = {}
    rows = IncidentSession.objects.filter(incident__in=incidents)
    for row in rows.select_related("attempt__session").order_by("attempt_id"):
        found[row.incident_id] = (*found.get(row.incident_id, ()), row)
    then = [each.snapshot for each in incidents if each.snapshot is not None]
    return found | {each.incident_id: sessions_then(snapshot=each) for each in then}


def _header(
    *,
    actor: Actor,
    incident: Incident,
    mine: IncidentParty,
    parties: Sequence[tuple[Organization, dict[str, Any]]],
    sessions: tuple[IncidentSession, ...],
) -> IncidentHeader:
    incident = as_faced(incident=incident, mine=mine, rows=sessions)
    rights = rights_of_party(party=mine)
    own = own_conclusion(rows=sessions, organization_id=actor.organization.pk)
    is_tenant = is_one_of_several_tenants(incident=incident, mine=mine)
    said = header_of(incident=incident, is_tenant=is_tenant, own=own)
    held = {part for _, party in parties for part in party["parts"]}
    owners = {
        action["owner"] if action["owner"] in held else Part.OPERATOR
        for action in incident.actions[:1]
    }
    return IncidentHeader(
        incident=incident,
        reader=actor.organization,
        rights=rights,
        attempts=tuple(row.attempt for row in sessions),
        culprits=projection.culprits_for(said["culprits"], rights=rights),
        restart=projection.restart_for(said["restart"], rights=rights, cause=incident.cause),
        coverage=projection.coverage_for(said["coverage"], rights=rights),
        actions=projection.actions_for(said["actions"], rights=rights),
        first_stopper=said["first_stopper"] if rights.sees_session else None,
        parties=tuple(
            _party(organization, party, owners=owners, mine=mine) for organization, party in parties
        ),
        is_collecting=incident.settled_at is None and incident.snapshot is None,
        left_at=incident.snapshot.taken_at if incident.snapshot else None,
    )


def _party(
    organization: Organization,
    party: Mapping[str, Any],
    *,
    owners: Collection[str],
    mine: IncidentParty,
) -> PartyView:
    is_reader = organization.pk == mine.organization_id
    has_left = is_reader and mine.left_at is not None
    return PartyView(
        organization=organization,
        parts=tuple(party["parts"]),
        is_reader=is_reader,
        # Nothing waits for a reader who can't act any more.
        acts=bool(set(owners) & set(party["parts"])) and not has_left,
        acknowledged_at=mine.acknowledged_at if is_reader else None,
    )


def read_hypotheses(*, actor: Actor, incident: Incident) -> tuple[HypothesisView, ...]:
    """Return the hypotheses, best first, with the reader's own evidence. Needs its scope."""
    mine = party_of(actor=actor, incident=incident)
    organizations = _organizations(actor=actor, incident=incident)
    items: dict[tuple[str, str], list[EvidenceItem]] = {}
    for item in _evidence(actor, incident):
        items.setdefault((item.cause, item.side), []).append(item)
    rows = _rows_of_hypotheses(incident)
    if is_one_of_several_tenants(incident=incident, mine=mine):
        own = own_conclusion(
            rows=sessions_of(incident=incident), organization_id=actor.organization.pk
        )
        for row in rows:
            row.culprits, row.missing = hypothesis_of(
                culprits=row.culprits, missing=row.missing, key=(row.layer, row.cause), own=own
            )
    rights = rights_of_party(party=mine)
    return tuple(
        _hypothesis(row=row, own=items, rights=rights, organizations=organizations, actor=actor)
        for row in rows
    )


def read_timeline(*, incident: Incident) -> tuple[TimelineEntry, ...]:
    """Return the entries that the scope may see, in order."""
    # Two sessions of one shared fault tell the same moment: it is shown once.
    distinct: dict[object, TimelineEntry] = {}
    for entry in current_entries(incident=incident):
        same = (entry.organization_id, entry.kind, entry.title, entry.at, entry.detail.get("host"))
        distinct.setdefault(same if entry.at else entry.pk, entry)
    return tuple(distinct.values())


def read_incident(*, actor: Actor, incident: Incident) -> IncidentView:
    """Return everything that the actor's organization may read. Needs its scope."""
    header = read_header(actor=actor, incident=incident)
    return IncidentView(
        header=header,
        hypotheses=read_hypotheses(actor=actor, incident=incident),
        timeline=read_timeline(incident=incident),
        annotations=tuple(annotations_of(incident=incident)),
        present=frozenset(
            present_parties(incident=incident, organization_id=actor.organization.pk)
        ),
        failing=failing_of(actor=actor, attempts=header.attempts),
    )


def _evidence(actor: Actor, incident: Incident) -> list[EvidenceItem]:
    if incident.snapshot is not None:
        return evidence_then(snapshot=incident.snapshot)
    own = EvidenceItem.objects.for_organization(actor.organization)
    return list(own.filter(incident=incident))


def _rows_of_hypotheses(incident: Incident) -> list[Hypothesis]:
    if incident.snapshot is not None:
        return hypotheses_then(snapshot=incident.snapshot)
    return list(Hypothesis.objects.filter(incident=incident).order_by("position", "id"))


def _organizations(*, actor: Actor, incident: Incident) -> dict[int, Organization]:
    known = known_parties(incident=incident, organization_id=actor.organization.pk)
    return Organization.objects.in_bulk([party["organization"] for party in known])


def _hypothesis(
    *,
    row: Hypothesis,
    own: Mapping[tuple[str, str], list[EvidenceItem]],
    rights: PartyRights,
    organizations: Mapping[int, Organization],
    actor: Actor,
) -> HypothesisView:
    key = f"{row.layer}/{row.cause}"
    return HypothesisView(
        layer=row.layer,
        cause=row.cause,
        probability=row.probability,
        cause_probability=row.cause_probability,
        culprits=projection.culprits_for(row.culprits, rights=rights),
        supporting=_by_weight(own.get((key, "for"), [])),
        opposing=_by_weight(own.get((key, "against"), [])),
        held=tuple(
            HeldEvidence(
                organization=organizations[held["organization"]],
                side=held["side"],
                layer=held["layer"],
                count=held["count"],
                weight=held["weight"],
                is_claimed=held.get("claimed", False),
            )
            for held in row.held
            if held["organization"] in organizations
            and held["organization"] != actor.organization.pk
        ),
        missing=projection.missing_for(row.missing, rights=rights),
        ruled_out_because=row.ruled_out_because,
    )


def _by_weight(items: Sequence[EvidenceItem]) -> tuple[EvidenceItem, ...]:
    # Two sessions of one shared fault rest on the same lines, and so may two reasons: each line is
    # shown once, by what it weighs most.
    by_weight = sorted(items, key=lambda item: abs(item.weight))
    distinct = {(item.reference or item.text, item.at): item for item in by_weight}
    ordered = sorted(distinct.values(), key=lambda i: (-abs(i.weight), i.position, i.pk))
    return tuple(ordered)
