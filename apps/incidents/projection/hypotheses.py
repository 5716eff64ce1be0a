"""What may explain an incident: the reader's own evidence, and how much of it others hold."""

import json
from collections.abc import Mapping, Sequence

from apps.diagnosis.model import statement_of
from apps.incidents.models import EvidenceItem, Hypothesis, Incident
from apps.incidents.projection import rights as projected
from apps.incidents.projection.access import (
    known_parties,
    party_of,
    rights_of_party,
    sessions_of,
)
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.reader_scope import (
    held_of,
    hypothesis_of,
    is_one_of_several_tenants,
    own_conclusion,
)
from apps.incidents.projection.rights import PartyRights
from apps.incidents.projection.shared.shared_access import SharedAccess
from apps.incidents.projection.shared.shared_evidence import (
    SharedPieces,
    shared_evidence,
    still_held,
)
from apps.incidents.projection.values import EvidencePiece, HeldEvidence, HypothesisView
from apps.incidents.snapshots import evidence_then, hypotheses_then
from apps.tenancy.access import Actor
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, name_of, value_of


def read_hypotheses(
    *,
    actor: Actor,
    incident: Incident,
    access: SharedAccess | None,
    header: IncidentHeader | None = None,
) -> tuple[HypothesisView, ...]:
    """Return the hypotheses, best first, with the reader's own evidence and what others show of
    theirs. Needs its scope. Where the incident's `header` was read, its parties are not read again.
    """
    mine = party_of(actor=actor, incident=incident)
    if header is None:
        organizations = _organizations(actor=actor, incident=incident)
    else:
        organizations = {each.organization.id: each.organization for each in header.parties}
    items: dict[tuple[str, str], list[EvidenceItem]] = {}
    for item in _evidence(actor, incident):
        items.setdefault((item.cause, item.side), []).append(item)
    rows = _rows_of_hypotheses(incident)
    if is_one_of_several_tenants(incident=incident, mine=mine):
        own = own_conclusion(
            rows=sessions_of(incident=incident), organization_id=actor.organization.pk
        )
        for row in rows:
            key = (row.layer, row.cause)
            row.culprits, row.missing = hypothesis_of(
                culprits=row.culprits, missing=row.missing, key=key, own=own
            )
            row.held = held_of(key=key, own=own)
    rights = rights_of_party(party=mine)
    shared = shared_evidence(access) if access else SharedPieces()
    return tuple(
        _hypothesis(
            row=row,
            own=items,
            shared=shared,
            rights=rights,
            organizations=organizations,
            actor=actor,
        )
        for row in rows
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


def _organizations(*, actor: Actor, incident: Incident) -> dict[int, OrganizationName]:
    known = known_parties(incident=incident, organization_id=actor.organization.pk)
    found = Organization.objects.in_bulk([party["organization"] for party in known])
    return {pk: name_of(each) for pk, each in found.items()}


def _hypothesis(
    *,
    row: Hypothesis,
    own: Mapping[tuple[str, str], list[EvidenceItem]],
    shared: SharedPieces,
    rights: PartyRights,
    organizations: Mapping[int, OrganizationName],
    actor: Actor,
) -> HypothesisView:
    key = f"{row.layer}/{row.cause}"
    held = tuple(
        HeldEvidence(
            organization=organizations[held["organization"]],
            side=held["side"],
            layer=held["layer"],
            count=held["count"],
            weight=held["weight"],
            is_claimed=held.get("claimed", False),
        )
        for held in row.held
        if held["organization"] in organizations and held["organization"] != actor.organization.pk
    )
    return HypothesisView(
        layer=row.layer,
        cause=row.cause,
        probability=row.probability,
        cause_probability=row.cause_probability,
        culprits=projected.culprits_for(row.culprits, rights=rights),
        supporting=_by_weight(own.get((key, "for"), []), shared.pieces[key, "for"]),
        opposing=_by_weight(own.get((key, "against"), []), shared.pieces[key, "against"]),
        held=still_held(held, shared.all_of(key)),
        missing=projected.missing_for(row.missing, rights=rights),
        ruled_out=statement_of(row.ruled_out) if row.ruled_out else None,
    )


def _by_weight(
    items: Sequence[EvidenceItem], shared: Sequence[EvidencePiece]
) -> tuple[EvidencePiece, ...]:
    # Two sessions of one shared fault rest on the same lines, and so may two reasons: each line is
    # shown once, by what it weighs most.
    by_weight = sorted(items, key=lambda item: abs(item.weight))
    distinct = {_same(item): item for item in by_weight}
    own = [
        value_of(EvidencePiece, item, shared=None, shared_line=None, hidden_line="")
        for item in distinct.values()
    ]
    return tuple(sorted((*own, *shared), key=lambda i: (-abs(i.weight), i.position, i.id)))


def _same(item: EvidenceItem) -> tuple[object, ...]:
    return (item.reference or json.dumps(item.statement, sort_keys=True), item.at)
