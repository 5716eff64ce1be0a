"""Evidence bundles of an incident: what can be in one, for whom, and making it. Needs the scope."""

from dataclasses import dataclass
from typing import Final

from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.bundles.own_contents import own_contents, own_pieces
from apps.incidents.bundles.recipient_scope import RecipientScope, recipient_scope
from apps.incidents.models import Incident, IncidentSession
from apps.incidents.projection.access import access_incident, known_parties, present_parties
from apps.incidents.projection.hypotheses import read_hypotheses
from apps.incidents.projection.reader_scope import is_of_several_tenants
from apps.incidents.projection.values import EvidencePiece
from apps.sharing.bundles import bundle_making
from apps.sharing.bundles.bundle_contents import (
    BadBundleChoice,
    BundleChoice,
    BundleSubject,
    OwnContents,
)
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, name_of

KNOWS_TENANTS: Final = frozenset({"operator", "platform"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleBundle:
    """What the actor's organization could give of an incident, and to whom."""

    incident: str
    parties: tuple[OrganizationName, ...]
    pieces: tuple[EvidencePiece, ...]  # by their position, from 1
    contents: OwnContents


def possible_bundle(*, actor: Actor, incident: str) -> PossibleBundle:
    """Return what could be in a bundle, and for whom. Raises NotFound, BadBundleChoice."""
    row = _row(actor, incident)
    hypotheses = read_hypotheses(actor=actor, incident=row, access=None)
    return PossibleBundle(
        incident=row.public_id,
        parties=tuple(name_of(each) for each in _others(actor, row)),
        pieces=tuple(each.piece for each in own_pieces(hypotheses)),
        contents=own_contents(actor=actor, incident=row, choice=BundleChoice()),
    )


def make_bundle(*, actor: Actor, incident: str, choice: BundleChoice, context: ActContext) -> str:
    """Make a bundle and return its id; nothing has left yet. Raises NotFound, BadBundleChoice."""
    row = _row(actor, incident)
    choice = bundle_making.checked(choice)
    tenants = {
        each["organization"]
        for each in row.parties
        if "tenant" in each["parts"] and not {*each["parts"]} & KNOWS_TENANTS
    }
    others = _others(actor, row)
    return bundle_making.make(
        subject=BundleSubject(
            incident_public_id=row.public_id,
            cluster_id=int(row.cluster_id or 0),
            is_simulated=row.is_simulated,
            parties={each.slug: each.pk for each in others},
            tenants=frozenset(each.slug for each in others if each.pk in tenants),
        ),
        choice=choice,
        contents=own_contents(
            actor=actor, incident=row, choice=choice, scope=_scope(actor, row, choice)
        ),
        hit=IncidentSession.objects.filter(incident=row).values("session"),
        context=context,
    )


def _scope(actor: Actor, row: Incident, choice: BundleChoice) -> RecipientScope | None:
    """Return what concerns the recipient that may not know whom else the incident hit."""
    several = {
        each["organization"]
        for each in row.parties
        if is_of_several_tenants(kind=row.kind, parts=each["parts"])
    }
    named = [each for each in _others(actor, row) if each.slug in choice.recipients]
    found = next((each.pk for each in named if each.pk in several), None)
    if found is None:
        return None
    return recipient_scope(holder=actor.organization, incident=row, tenant_id=found)


def _row(actor: Actor, public_id: str) -> Incident:
    row = access_incident(actor=actor, public_id=public_id, right=Right.ACT)
    if row.cluster_id is None:
        raise BadBundleChoice("the incident is of no cluster: nobody else is a party of it")
    return row


def _others(actor: Actor, row: Incident) -> list[Organization]:
    """Return the parties that the actor knows and that take part now, by name."""
    own = actor.organization.pk
    known = {each["organization"] for each in known_parties(incident=row, organization_id=own)}
    present = set(present_parties(incident=row, organization_id=own))
    found = Organization.objects.filter(pk__in=(known & present) - {own})
    return sorted(found, key=lambda each: each.name)
