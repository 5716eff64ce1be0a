"""Parts in a cluster, offered and asked back: nothing holds before both sides agreed.

A proposal to a slug that nobody has looks to its sender like one that nobody answered, so that
nobody learns who else is on the portal.
"""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from apps.fleet.authority.project_owners import among_parties, hold_map
from apps.fleet.models import (
    Cluster,
    Participation,
    ParticipationRole,
    PartProposal,
    ProposalKind,
    ProposalState,
)
from apps.fleet.parties import presence_subscribers
from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.fleet.parties.leave_cluster import give_up
from apps.fleet.parties.participants import USUAL_LAYERS
from apps.fleet.sessions.session_parties import INFORMED, tell_running
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

LASTS = timedelta(days=30)
OPEN_AT_MOST = 50  # of one cluster
SLUG = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)


class BadProposal(ValueError):
    """It can't be proposed so."""


class SlugBad(BadProposal):
    """No organization can be called so."""


class HasPart(BadProposal):
    """The organization takes this part already."""


class LacksPart(BadProposal):
    """The organization does not take this part."""


class OwnPart(BadProposal):
    """One's own part is left, not asked back."""


class OwnOffer(BadProposal):
    """Nobody offers a part to itself."""


class TooManyOpen(BadProposal):
    """Too many wait for an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedRole:
    """What is proposed to whom. Without layers, those that the part usually answers for."""

    kind: ProposalKind
    slug: str
    part: ParticipationRole
    layers: Sequence[str] | None = None


def may_propose(*, actor: Actor, cluster: Cluster) -> bool:
    """Say whether the actor may: it manages an operator of the cluster. Needs the scope."""
    own = Participation.objects.for_organization(actor.organization).filter(cluster=cluster)
    return Right.MANAGE in actor.rights and own.filter(part=ParticipationRole.OPERATOR).exists()


def access_made(*, actor: Actor) -> QuerySet[PartProposal]:
    """Return what the actor's organization proposed, the newest first. Needs its scope."""
    actor.require(Right.MANAGE)
    own = PartProposal.objects.for_organization(actor.organization)
    return own.select_related("cluster").order_by("-created_at", "-id")


def access_received(*, actor: Actor, now: datetime) -> QuerySet[PartProposal]:
    """Return what waits for an answer of the actor's organization. Needs its scope."""
    actor.require(Right.MANAGE)
    rows = PartProposal.objects.filter(recipient=actor.organization, state=ProposalState.OPEN)
    waiting = rows.filter(expires_at__gt=now).select_related("cluster", "organization")
    return waiting.order_by("-created_at", "-id")


def access_proposals(*, actor: Actor) -> QuerySet[PartProposal]:
    """Return what the actor's organization proposed or was proposed, the newest first."""
    actor.require(Right.MANAGE)
    made = PartProposal.objects.for_organization(actor.organization)
    received = PartProposal.objects.filter(recipient=actor.organization)
    rows = (made | received).select_related("cluster", "organization")
    return rows.order_by("-created_at", "-id")


def access_proposal(*, actor: Actor, public_id: str) -> PartProposal:
    """Return one of these; raise NotFound."""
    found = access_proposals(actor=actor).filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


def propose(
    *, actor: Actor, cluster: Cluster, wish: ProposedRole, context: ActContext
) -> tuple[PartProposal, bool]:
    """Write a proposal down, or renew the one that waits; return it and whether it is new.

    Raises NotFound, BadProposal. Needs the scope.
    """
    if not may_propose(actor=actor, cluster=cluster):
        raise NotFound
    hold_map(cluster=cluster)
    if not SLUG.fullmatch(wish.slug):
        raise SlugBad("letters, digits, - and _ only, at most 40")
    if wish.kind == ProposalKind.OFFER and wish.slug == actor.organization.slug:
        raise OwnOffer("this is your own organization; name another one")
    _check_parts(actor=actor, cluster=cluster, wish=wish)
    own = PartProposal.objects.for_organization(actor.organization)
    waiting = own.filter(cluster=cluster, state=ProposalState.OPEN)
    same = waiting.filter(kind=wish.kind, part=wish.part, slug=wish.slug)
    # Under lock: what is answered at this moment is not opened again.
    former = same.select_for_update().first()
    if former is None and waiting.filter(expires_at__gt=context.now).count() >= OPEN_AT_MOST:
        raise TooManyOpen
    row = former or PartProposal(organization=actor.organization, cluster=cluster)
    layers = list(USUAL_LAYERS[wish.part] if wish.layers is None else wish.layers)
    is_new = former is None or former.expires_at <= context.now or former.layers != layers
    if is_new:
        # An answer to what was read before is no answer to this.
        row.public_id = "PRO-" + secrets.token_hex(5).upper()
    row.layers = layers
    _fill(row, wish=wish, now=context.now)
    row.save()
    if is_new:
        action = "offered" if wish.kind == ProposalKind.OFFER else "asked_back"
        record_cross_party_act(
            f"participation.{action}", _subject(row), context, others=_ids(row.recipient_id)
        )
    else:
        record_cross_party_act("participation.renewed", _subject(row), context)
    return row, is_new


def take_back(*, actor: Actor, public_id: str, context: ActContext) -> bool:
    """End a proposal of one's own; return whether it waited. Raises NotFound."""
    row = access_made(actor=actor).filter(public_id=public_id).first()
    if row is None:
        raise NotFound
    if not _close(row, state=ProposalState.TAKEN_BACK, now=context.now):
        return False
    record_cross_party_act(
        "participation.taken_back", _subject(row), context, others=_ids(row.recipient_id)
    )
    return True


def decline(*, actor: Actor, public_id: str, context: ActContext) -> None:
    """Say no to a proposal that waits. Raises NotFound."""
    row = _waiting(actor, public_id, context.now)
    if not _close(row, state=ProposalState.DECLINED, now=context.now):
        raise NotFound
    record_cross_party_act(
        "participation.declined", _subject(row), context, others=[row.organization_id]
    )


def accept(*, actor: Actor, public_id: str, context: ActContext) -> PartProposal:
    """Say yes: the part begins or ends now. Raises NotFound, LastOperator."""
    row = _waiting(actor, public_id, context.now)
    # Held before it is closed: an operator who leaves meanwhile takes its proposals along.
    hold_map(cluster=row.cluster)
    if not _close(row, state=ProposalState.ACCEPTED, now=context.now):
        raise NotFound
    if row.kind == ProposalKind.OFFER:
        Participation.objects.get_or_create(
            organization=actor.organization,
            cluster=row.cluster,
            part=row.part,
            defaults={"layers": row.layers, "since": context.now},
        )
        presence_subscribers.tell_back(
            organization_id=actor.organization.pk, cluster_id=row.cluster_id, now=context.now
        )
        if row.part in INFORMED:
            tell_running(cluster=row.cluster, organization=actor.organization)
    else:
        give_up(
            organization=actor.organization,
            cluster=row.cluster,
            part=ParticipationRole(row.part),
            now=context.now,
        )
    record_cross_party_act(
        "participation.accepted", _subject(row), context, others=[row.organization_id]
    )
    return row


def _check_parts(*, actor: Actor, cluster: Cluster, wish: ProposedRole) -> None:
    with among_parties(cluster):
        taken = Participation.objects.filter(
            cluster=cluster, organization__slug=wish.slug, part=wish.part
        ).exists()
    if wish.kind == ProposalKind.OFFER and taken:
        raise HasPart
    if wish.kind == ProposalKind.WITHDRAWAL and not taken:
        raise LacksPart
    if wish.kind == ProposalKind.WITHDRAWAL and wish.slug == actor.organization.slug:
        raise OwnPart


def _fill(row: PartProposal, *, wish: ProposedRole, now: datetime) -> None:
    row.kind, row.part, row.slug = wish.kind, wish.part, wish.slug
    row.recipient = Organization.objects.filter(slug=wish.slug).first()
    row.state, row.created_at, row.expires_at = ProposalState.OPEN, now, now + LASTS


def _waiting(actor: Actor, public_id: str, now: datetime) -> PartProposal:
    row = access_received(actor=actor, now=now).filter(public_id=public_id).first()
    if row is None:
        raise NotFound
    return row


def _close(row: PartProposal, *, state: ProposalState, now: datetime) -> bool:
    # The row is its sender's, whoever answers.
    with organization_scope(row.organization_id):
        rows = PartProposal.objects.for_organization(row.organization_id)
        same = rows.filter(pk=row.pk, public_id=row.public_id)
        is_open = same.filter(state=ProposalState.OPEN, expires_at__gt=now)
        return bool(is_open.update(state=state, answered_at=now))


def _subject(row: PartProposal) -> str:
    return f"{row.cluster.slug} {row.part} {row.slug}"


def _ids(organization_id: int | None) -> list[int]:
    return [] if organization_id is None else [organization_id]
