"""Agreements: proposed, countered, signed, declined, taken back, revoked. Each by an admin.

Each side writes rows of its own in its own scope; where the agreement stands follows from all of
them (`states`). All of it needs the scope of the actor's organization.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from apps.fleet.models import Cluster
from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.fleet.parties.participants import Participant, answered_layers, participants
from apps.sharing.agreements import (
    access_agreements,
    agreement_with,
    document_of,
    other_side,
    versions_of,
)
from apps.sharing.models import ActKind, Agreement, AgreementAct, AgreementVersion
from apps.sharing.presets.preset_terms import AgreementSide, preset_terms
from apps.sharing.pseudonym_keys import keep_key, open_pair
from apps.sharing.redaction.text import visible_text
from apps.sharing.states import TermsVersion, in_force, open_proposal
from apps.sharing.terms import BadTerms, Terms, digest_of, plain_terms, read_terms
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.changes.announcements import announce_sharing
from apps.tenancy.database import advisory_locks
from apps.tenancy.database.advisory_locks import Lock

LASTS = timedelta(days=30)  # a proposal
VERSIONS_AT_MOST = 250  # of one side: nobody uses up the room of the other
NOTE_LIMIT = 500
CHANGE_WHAT_HOLDS = {ActKind.SIGNED, ActKind.REVOKED}  # open pages show more, or less


class NotNow(Exception):
    """The agreement stands otherwise meanwhile: look again, then decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Terms for the other side. With a preset the terms are made of it."""

    counterpart: str  # slug
    terms: Terms | None = None
    preset: str = ""
    note: str = ""
    until: datetime | None = None
    former: int | None = None  # the number of the version that the proposer has read last


def possible_sides(*, actor: Actor, cluster: Cluster) -> list[Participant]:
    """Return with whom the actor's organization may agree in a cluster: the parties it knows."""
    known = _known_sides(actor, cluster)
    return [each for each in known if each.organization.pk != actor.organization.pk]


def propose(
    *, actor: Actor, cluster: Cluster, proposal: Proposal, context: ActContext
) -> Agreement:
    """Propose terms, or answer others with them; return the agreement.

    Raises NotFound for an organization that the actor does not know in the cluster, BadTerms, and
    NotNow where a version came that the proposer has not read.
    """
    actor.require(Right.MANAGE)
    mine, other = _sides(actor, cluster, proposal.counterpart)
    terms = _terms(proposal, (mine, other))
    proposal = replace(proposal, note=visible_text(proposal.note))
    if len(proposal.note) > NOTE_LIMIT:
        raise BadTerms(f"note: at most {NOTE_LIMIT} characters")
    if proposal.until is not None and proposal.until <= context.now:
        raise BadTerms("until: it lies in the past")
    _hold(cluster)
    agreement = agreement_with(actor=actor, cluster=cluster, counterpart=other.organization)
    if agreement is None:
        agreement = open_pair(
            opener=actor.organization, other=other.organization, cluster=cluster, now=context.now
        )
    number = _next_number(agreement, by=actor.organization.pk, former=proposal.former)
    document = document_of(
        agreement=agreement, number=number, terms=terms, until=proposal.until, note=proposal.note
    )
    version = AgreementVersion.objects.create(
        organization=actor.organization,
        counterpart=other.organization,
        agreement=agreement,
        number=number,
        preset=proposal.preset,
        terms=document["gives"],
        note=proposal.note,
        until=proposal.until,
        digest=digest_of(document),
        proposed_by=actor.name,
        proposed_at=context.now,
        lapses_at=context.now + LASTS,
    )
    keep_key(agreement=agreement, organization=actor.organization, now=context.now)
    record_cross_party_act(
        "agreement.proposed",
        f"{agreement.public_id} v{version.number}",
        context,
        others=[other.organization.pk],
    )
    return agreement


def sign(*, actor: Actor, agreement: Agreement, number: int, context: ActContext) -> None:
    """Sign what the other side proposed: it holds from now on. Raises NotNow."""
    version = _waiting(actor, agreement, number, context.now)
    if version.proposer_id == actor.organization.pk:
        raise NotNow
    keep_key(agreement=agreement, organization=actor.organization, now=context.now)
    _write(actor, agreement, version, ActKind.SIGNED, context)


def decline(
    *, actor: Actor, agreement: Agreement, number: int, reason: str = "", context: ActContext
) -> None:
    """Say no to what the other side proposed. Raises NotNow."""
    version = _waiting(actor, agreement, number, context.now)
    if version.proposer_id == actor.organization.pk:
        raise NotNow
    _write(actor, agreement, version, ActKind.DECLINED, context, reason=reason)


def take_back(*, actor: Actor, agreement: Agreement, number: int, context: ActContext) -> None:
    """Take a proposal of one's own back before it is answered. Raises NotNow."""
    version = _waiting(actor, agreement, number, context.now)
    if version.proposer_id != actor.organization.pk:
        raise NotNow
    _write(actor, agreement, version, ActKind.TAKEN_BACK, context)


def revoke(
    *, actor: Actor, agreement: Agreement, number: int, reason: str, context: ActContext
) -> None:
    """End what holds, alone and at once. Raises NotNow, BadTerms without a reason."""
    actor.require(Right.MANAGE)
    if not visible_text(reason).strip():
        raise BadTerms("reason: say why it ends; the other side reads it")
    _hold(agreement.cluster)
    held = in_force(versions=_versions(agreement), now=context.now)
    if held is None or held.number != number:
        raise NotNow
    _write(actor, agreement, held, ActKind.REVOKED, context, reason=reason)


def _sides(actor: Actor, cluster: Cluster, slug: str) -> tuple[Participant, Participant]:
    known = _known_sides(actor, cluster)
    by_slug = {each.organization.slug: each for each in known}
    mine, other = by_slug.get(actor.organization.slug), by_slug.get(slug)
    if mine is None or other is None or mine is other:
        raise NotFound
    return mine, other


def _known_sides(actor: Actor, cluster: Cluster) -> list[Participant]:
    """Return the parties that it knows: a tenant that proposed to a vendor, too."""
    own = actor.organization.pk
    rows = access_agreements(actor=actor).filter(cluster=cluster)
    met = {other_side(agreement=each, organization_id=own).pk for each in rows}
    return participants(actor=actor, cluster=cluster, known=met)


def _terms(proposal: Proposal, sides: tuple[Participant, Participant]) -> Terms:
    first, second = (side_of(each) for each in sides)
    if proposal.preset:
        try:
            return preset_terms(name=proposal.preset, sides=(first, second))
        except KeyError:
            raise BadTerms(f"preset: there is no {proposal.preset[:60]}") from None
    # Terms come from anywhere: read anew, whoever made them.
    return read_terms(plain_terms(proposal.terms or {}), sides=[first.slug, second.slug])


def sides_of(
    *, actor: Actor, cluster: Cluster, counterpart: str
) -> tuple[AgreementSide, AgreementSide]:
    """Return the actor's organization and another party as presets know them; raise NotFound."""
    mine, other = _sides(actor, cluster, counterpart)
    return side_of(mine), side_of(other)


def side_of(participant: Participant) -> AgreementSide:
    """Return a party as presets know it."""
    return AgreementSide(
        slug=participant.organization.slug,
        parts=frozenset(str(part) for part in participant.parts),
        layers=answered_layers(parts=participant.parts, layers=participant.layers),
    )


def _next_number(agreement: Agreement, *, by: int, former: int | None) -> int:
    rows = AgreementVersion.objects.filter(agreement=agreement)
    proposed = list(rows.values_list("number", "organization_id"))
    last = max((number for number, _ in proposed), default=0)
    if former is not None and former != last:
        raise NotNow
    if sum(side == by for _, side in proposed) >= VERSIONS_AT_MOST:
        raise BadTerms(f"you proposed {VERSIONS_AT_MOST} versions of it; no more are kept")
    return last + 1


def _waiting(actor: Actor, agreement: Agreement, number: int, now: datetime) -> TermsVersion:
    actor.require(Right.MANAGE)
    _hold(agreement.cluster)
    version = open_proposal(versions=_versions(agreement), now=now)
    if version is None or version.number != number:
        raise NotNow
    return version


def _write(
    actor: Actor,
    agreement: Agreement,
    version: TermsVersion,
    kind: ActKind,
    context: ActContext,
    *,
    reason: str = "",
) -> None:
    other = other_side(agreement=agreement, organization_id=actor.organization.pk)
    AgreementAct.objects.create(
        organization=actor.organization,
        counterpart=other,
        version_id=version.id,
        kind=kind,
        digest=version.digest,
        reason=visible_text(reason).strip()[:NOTE_LIMIT],
        by=actor.name,
        at=context.now,
    )
    record_cross_party_act(
        f"agreement.{kind}", f"{agreement.public_id} v{version.number}", context, others=[other.pk]
    )
    if kind in CHANGE_WHAT_HOLDS:
        announce_sharing([actor.organization.pk, other.pk])


def _hold(cluster: Cluster) -> None:
    advisory_locks.hold(Lock.AGREEMENTS, cluster.pk)


def _versions(agreement: Agreement) -> list[TermsVersion]:
    return versions_of(agreements=[agreement])[agreement.pk]
