"""Another party as the viewer knows it, and a header as that one reads it.

All of it is made of what the viewer's organization reads itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from apps.incidents.models import Incident
from apps.incidents.projection import rights as projected
from apps.incidents.projection.access import known_parties, present_parties, sessions_of
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.headers import facts_of, read_headers
from apps.incidents.projection.incident_work import IncidentWork
from apps.incidents.projection.reader_scope import is_of_several_tenants
from apps.incidents.projection.rights import SEES_SESSIONS, PartyRights
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.values import name_of


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherParty:
    """Who would read, as far as the viewer knows it."""

    organization: Organization
    parts: frozenset[str]
    rights: PartyRights
    answers: bool  # for the layer that is blamed
    is_of_several: bool  # one tenant of an incident that may have hit others, too


def headers_as(
    *, actor: Actor, incidents: Sequence[Incident], slug: str, most: int
) -> list[IncidentHeader]:
    """Return the headers of those that a party reads, too, in their order, at most so many."""
    found = Organization.objects.filter(slug=slug).exclude(pk=actor.organization.pk).first()
    own = {each.pk: _known_as(actor, each, found) for each in incidents} if found else {}
    both = [each for each in incidents if own.get(each.pk)]
    clusters = {each.cluster_id for each in both if each.cluster_id}
    present = {pk: frozenset(parties_of(cluster_id=pk)) for pk in clusters}
    sides = {actor.organization.pk, found.pk if found else 0}
    both = [each for each in both if sides <= present[each.cluster_id or 0]][:most]
    mine = {each.id: each for each in read_headers(actor=actor, incidents=both)}
    return [
        header_as(mine[each.pk], each, _other(found, party, each))
        for each in both
        if found and (party := own[each.pk]) and each.pk in mine and not mine[each.pk].left_at
    ]


def other_party(*, actor: Actor, incident: Incident, slug: str) -> OtherParty:
    """Return a party as whom the actor may look; raise NotFound."""
    actor.require(Right.MANAGE)
    own = actor.organization.pk
    found = Organization.objects.filter(slug=slug).exclude(pk=own).first()
    party = _known_as(actor, incident, found) if found else None
    if found is None or party is None:
        raise NotFound
    if not {own, found.pk} <= {*present_parties(incident=incident, organization_id=own)}:
        raise NotFound
    return _other(found, party, incident)


def _known_as(actor: Actor, incident: Incident, other: Organization) -> Mapping[str, Any] | None:
    """Return as what the actor knows a party of an incident; None of one that it may not know."""
    if incident.cluster_id is None or incident.snapshot is not None:
        return None
    known = known_parties(incident=incident, organization_id=actor.organization.pk)
    return next((each for each in known if each["organization"] == other.pk), None)


def _other(organization: Organization, party: Mapping[str, Any], incident: Incident) -> OtherParty:
    parts = frozenset(party["parts"])
    answers = projected.answers_for(party, incident=incident)
    sees_session = bool(parts & SEES_SESSIONS)
    return OtherParty(
        organization=organization,
        parts=parts,
        rights=PartyRights(sees_culprit=sees_session or answers, sees_session=sees_session),
        answers=answers,
        is_of_several=is_of_several_tenants(kind=incident.kind, parts=parts),
    )


def header_as(mine: IncidentHeader, incident: Incident, other: OtherParty) -> IncidentHeader:
    """Return the viewer's own header, cut to what the other party reads of it."""
    rights, pk = other.rights, other.organization.pk
    # One of several tenants reads what was concluded for its own session; that is not the viewer's.
    names = rights.sees_culprit and not other.is_of_several
    cut = PartyRights(sees_culprit=names, sees_session=rights.sees_session and names)
    theirs = {each["organization"] for each in known_parties(incident=incident, organization_id=pk)}
    parties = [each for each in mine.parties if each.organization.id in theirs]
    owned = {row.attempt_id for row in sessions_of(incident=incident) if row.organization_id == pk}
    is_tenant = other.parts == {"tenant"}
    plain = [each for each in incident.parties if each["organization"] in theirs]
    named = {each.organization.id: each.organization for each in parties}
    return replace(
        mine,
        incident=facts_of(incident=incident, reader_id=pk),
        reader=name_of(other.organization),
        rights=rights,
        attempts=tuple(
            each
            for each in mine.attempts
            if rights.sees_session and (not is_tenant or each.id in owned)
        ),
        culprits=mine.culprits if names else None,
        restart=projected.restart_for(mine.restart, rights=cut, cause=incident.cause),
        coverage=projected.coverage_for(mine.coverage, rights=cut),
        actions=projected.actions_for(mine.actions, rights=cut),
        first_stopper=mine.first_stopper if cut.sees_session else None,
        parties=tuple(
            replace(each, is_reader=each.organization.id == pk, acknowledged_at=None)
            for each in parties
        ),
        # Who handed what to whom is between those two.
        coordination=IncidentWork(steps={}, opinions={}, present={}).coordination(
            incident=incident, parties=plain, named=named, reader_id=pk
        ),
    )
