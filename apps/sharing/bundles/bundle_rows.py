"""Bundles as rows: which a reader has made or was sent, and how each stands.

All of it needs the scope of the actor's organization.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Count, Q, QuerySet, Sum

from apps.sharing.bundles.bundle_contents import LIVE_AT_MOST, LIVE_BYTES_AT_MOST, BundleRoom
from apps.sharing.bundles.bundle_states import BundleState
from apps.sharing.models import Bundle, BundleAct, BundleActKind, BundleContent
from apps.tenancy.access import Actor, NotFound, Right


def bundle_room(*, actor: Actor) -> BundleRoom:
    """Return how much of its bundles the actor's organization keeps."""
    actor.require(Right.READ)
    kept = BundleContent.objects.for_organization(actor.organization)
    found = kept.aggregate(count=Count("pk"), size=Sum("bundle__size", default=0))
    return BundleRoom(most=LIVE_AT_MOST, most_size=LIVE_BYTES_AT_MOST, **found)


def access_bundles(*, actor: Actor) -> QuerySet[Bundle]:
    """Return what the actor's organization made, and what was sent to it, the newest first."""
    actor.require(Right.READ)
    own = actor.organization
    sent = BundleAct.objects.filter(counterpart=own, kind=BundleActKind.SENT)
    rows = Bundle.objects.filter(Q(organization=own) | Q(pk__in=sent.values("bundle")))
    return rows.select_related("organization", "cluster").order_by("-made_at", "-id")


def access_bundle(*, actor: Actor, public_id: str) -> Bundle:
    """Return one of these; raise NotFound."""
    row = access_bundles(actor=actor).filter(public_id=public_id).first()
    if row is None:
        raise NotFound
    return row


def own_bundle(*, actor: Actor, public_id: str) -> Bundle:
    """Return one that the actor's organization made; raise NotFound."""
    actor.require(Right.READ)
    own = Bundle.objects.for_organization(actor.organization).filter(public_id=public_id)
    row = own.select_related("organization", "cluster").first()
    if row is None:
        raise NotFound
    return row


def acts_of(*, bundles: Sequence[Bundle]) -> dict[int, list[BundleAct]]:
    """Return bundle id → what was done with it, as far as the scope may see."""
    found: dict[int, list[BundleAct]] = {each.pk: [] for each in bundles}
    rows = BundleAct.objects.filter(bundle__in=bundles).select_related("organization")
    for act in rows.order_by("at", "id"):
        found[act.bundle_id].append(act)
    return found


def state_of(*, bundle: Bundle, acts: Sequence[BundleAct], now: datetime) -> BundleState:
    """Return how a bundle stands now."""
    # What others say of it counts for nothing here.
    done = {act.kind for act in acts if act.organization_id == bundle.organization_id}
    if BundleActKind.REVOKED in done:
        return BundleState.REVOKED
    if bundle.expires_at <= now or BundleActKind.EXPIRED in done:
        return BundleState.EXPIRED
    return BundleState.SENT if BundleActKind.SENT in done else BundleState.MADE
