"""Agreements of an organization as values, and what its admins do with them. Needs its scope."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.fleet.access import access_cluster
from apps.fleet.parties.cross_party_acts import ActContext
from apps.fleet.values import ClusterName
from apps.sharing import agreement_acts as acts
from apps.sharing.agreements import (
    access_agreement,
    access_agreements,
    other_side,
    versions_of,
)
from apps.sharing.models import ActKind, Agreement
from apps.sharing.presets.preset_terms import AgreementSide, preset_terms
from apps.sharing.states import TermsVersion, VersionState, in_force, open_proposal, states_of
from apps.sharing.terms import SharingRule
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.values import OrganizationName, name_of, value_of

ENDS = (ActKind.DECLINED, ActKind.TAKEN_BACK, ActKind.REVOKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionEnd:
    """Who ended a version, and why."""

    organization: OrganizationName
    by: str
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionView:
    """A version of an agreement and what became of it."""

    number: int
    state: VersionState
    proposer: OrganizationName
    proposed_by: str
    proposed_at: datetime
    lapses_at: datetime
    signed_by: str  # of the other side; empty: nobody yet
    in_force_at: datetime | None
    until: datetime | None
    preset: str
    note: str
    gives: Mapping[str, Sequence[SharingRule]]  # slug of who gives → rules
    end: VersionEnd | None
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementView:
    """What there is between the reader's organization and another one in a cluster."""

    public_id: str
    cluster: ClusterName
    reader: OrganizationName
    other: OrganizationName
    versions: tuple[VersionView, ...]  # the newest first
    current: VersionView | None  # what holds
    waiting: VersionView | None  # what one side has yet to answer

    @property
    def waits_for_reader(self) -> bool:
        """Say whether the reader's organization is the one to answer."""
        return self.waiting is not None and self.waiting.proposer.id != self.reader.id


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleSide:
    """A party with which the reader's organization may agree, and its parts in the cluster."""

    organization: OrganizationName
    parts: tuple[str, ...]


def list_agreements(*, actor: Actor, now: datetime) -> tuple[AgreementView, ...]:
    """Return the agreements of the actor's organization, what waits for it first."""
    rows = list(access_agreements(actor=actor))
    versions = versions_of(agreements=rows)
    # Where two only answered each other's requests, nothing was proposed yet.
    views = [_view(actor, row, told, now) for row in rows if (told := versions[row.pk])]
    return tuple(sorted(views, key=lambda each: not each.waits_for_reader))


def open_agreement(*, actor: Actor, public_id: str, now: datetime) -> AgreementView:
    """Return one of these; raise NotFound."""
    row = access_agreement(actor=actor, public_id=public_id)
    return _view(actor, row, versions_of(agreements=[row])[row.pk], now)


def possible_sides(*, actor: Actor, cluster: str) -> tuple[PossibleSide, ...]:
    """Return with whom the actor's organization may agree in a cluster."""
    found = acts.possible_sides(actor=actor, cluster=access_cluster(actor=actor, slug=cluster))
    return tuple(
        PossibleSide(
            organization=name_of(each.organization), parts=tuple(str(part) for part in each.parts)
        )
        for each in found
    )


def nothing_agreed(*, actor: Actor, cluster: str, counterpart: str) -> AgreementView:
    """Return the view of an agreement that nobody proposed yet. Raises NotFound."""
    known = {each.organization.slug: each for each in possible_sides(actor=actor, cluster=cluster)}
    if counterpart not in known:
        raise NotFound
    return AgreementView(
        public_id="",
        cluster=value_of(ClusterName, access_cluster(actor=actor, slug=cluster)),
        reader=name_of(actor.organization),
        other=known[counterpart].organization,
        versions=(),
        current=None,
        waiting=None,
    )


def preset_between(
    *, actor: Actor, cluster: str, counterpart: str, preset: str
) -> Mapping[str, Sequence[SharingRule]]:
    """Return the terms that a preset makes between the actor's organization and another one."""
    mine, other = _sides(actor, cluster, counterpart)
    return preset_terms(name=preset, sides=(mine, other))


def propose(*, actor: Actor, cluster: str, proposal: acts.Proposal, context: ActContext) -> str:
    """Propose terms and return the id of the agreement. Raises NotFound, BadTerms, NotNow."""
    row = acts.propose(
        actor=actor,
        cluster=access_cluster(actor=actor, slug=cluster),
        proposal=proposal,
        context=context,
    )
    return row.public_id


def sign(*, actor: Actor, public_id: str, number: int, context: ActContext) -> None:
    """Sign what the other side proposed. Raises NotFound, NotNow."""
    acts.sign(actor=actor, agreement=_row(actor, public_id), number=number, context=context)


def decline(
    *, actor: Actor, public_id: str, number: int, reason: str = "", context: ActContext
) -> None:
    """Say no to what the other side proposed. Raises NotFound, NotNow."""
    row = _row(actor, public_id)
    acts.decline(actor=actor, agreement=row, number=number, reason=reason, context=context)


def take_back(*, actor: Actor, public_id: str, number: int, context: ActContext) -> None:
    """Take back what one's own side proposed. Raises NotFound, NotNow."""
    acts.take_back(actor=actor, agreement=_row(actor, public_id), number=number, context=context)


def revoke(*, actor: Actor, public_id: str, number: int, reason: str, context: ActContext) -> None:
    """End what holds. Raises NotFound, NotNow, BadTerms without a reason."""
    row = _row(actor, public_id)
    acts.revoke(actor=actor, agreement=row, number=number, reason=reason, context=context)


def _row(actor: Actor, public_id: str) -> Agreement:
    return access_agreement(actor=actor, public_id=public_id)


def _sides(actor: Actor, cluster: str, counterpart: str) -> tuple[AgreementSide, AgreementSide]:
    return acts.sides_of(
        actor=actor, cluster=access_cluster(actor=actor, slug=cluster), counterpart=counterpart
    )


def _view(
    actor: Actor, row: Agreement, versions: Sequence[TermsVersion], now: datetime
) -> AgreementView:
    states = states_of(versions=versions, now=now)
    other = other_side(agreement=row, organization_id=actor.organization.pk)
    names = {each.pk: name_of(each) for each in (actor.organization, other)}
    views = {each.number: _version(each, states[each.number], names) for each in versions}
    held = in_force(versions=versions, now=now)
    waiting = open_proposal(versions=versions, now=now)
    return AgreementView(
        public_id=row.public_id,
        cluster=value_of(ClusterName, row.cluster),
        reader=names[actor.organization.pk],
        other=names[other.pk],
        versions=tuple(reversed(views.values())),
        current=views[held.number] if held else None,
        waiting=views[waiting.number] if waiting else None,
    )


def _version(
    version: TermsVersion, state: VersionState, names: Mapping[int, OrganizationName]
) -> VersionView:
    signed = next((act.by for act in version.acts if act.kind == ActKind.SIGNED), "")
    end = next((act for act in version.acts if act.kind in ENDS), None)
    return VersionView(
        number=version.number,
        state=state,
        proposer=names[version.proposer_id],
        proposed_by=version.proposed_by,
        proposed_at=version.proposed_at,
        lapses_at=version.lapses_at,
        signed_by=signed,
        in_force_at=version.in_force_at,
        until=version.until,
        preset=version.preset,
        note=version.note,
        gives=version.terms,
        end=VersionEnd(
            organization=names[end.organization_id], by=end.by, at=end.at, reason=end.reason
        )
        if end
        else None,
        digest=version.digest.hex(),
    )
