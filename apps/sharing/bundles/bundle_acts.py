"""Bundles that were made: sent, opened, downloaded, revoked, and over. Rows are only added.

All of it needs the scope of the actor's organization.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.sharing.bundles.bundle_looks import write_bundle_look
from apps.sharing.bundles.bundle_rows import acts_of, state_of
from apps.sharing.bundles.bundle_states import (
    BundleGone,
    BundleMoved,
    BundleState,
    RecipientLeft,
)
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.models import (
    Bundle,
    BundleAct,
    BundleActKind,
    BundleContent,
    BundleOriginal,
)
from apps.sharing.redaction.text import visible_text
from apps.tenancy.access import NotFound, Right
from apps.tenancy.changes.announcements import announce_sharing
from apps.tenancy.database import advisory_locks
from apps.tenancy.database.advisory_locks import Lock
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

REASON_LIMIT: Final = 500
BATCH: Final = 100


def send(*, bundle: Bundle, context: ActContext) -> None:
    """Let the recipients have it. Raises BundleMoved unless it was only made, RecipientLeft.

    Who left the cluster itself sends nothing of it any more.
    """
    context.actor.require(Right.MANAGE)
    _hold(bundle, context, BundleState.MADE)
    present = set(parties_of(cluster_id=bundle.cluster_id))
    if bundle.organization_id not in present:
        raise NotFound
    absent = set(bundle.recipients) - present
    if absent:
        names = Organization.objects.filter(pk__in=absent).values_list("name", flat=True)
        raise RecipientLeft(", ".join(sorted(names)))
    receivers = [*bundle.recipients, *([bundle.organization_id] if bundle.outside else [])]
    _write(bundle, BundleActKind.SENT, context, to=receivers)
    record_cross_party_act("bundle.sent", _subject(bundle), context, others=bundle.recipients)
    announce_sharing([bundle.organization_id, *bundle.recipients])


def revoke(*, bundle: Bundle, reason: str, context: ActContext) -> None:
    """Take it back and delete what is in it. Raises BundleMoved where it is over already.

    What was downloaded before can't be called back.
    """
    context.actor.require(Right.MANAGE)
    state = _hold(bundle, context, BundleState.MADE, BundleState.SENT)
    # Of what was never sent nobody else hears.
    others = bundle.recipients if state is BundleState.SENT else []
    receivers = [bundle.organization_id, *others]
    _write(bundle, BundleActKind.REVOKED, context, to=receivers, reason=reason)
    _purge(bundle)
    record_cross_party_act("bundle.revoked", _subject(bundle), context, others=others)
    announce_sharing(receivers)


def opened(*, bundle: Bundle, context: ActContext) -> bytes | None:
    """Return the file for a recipient's person to look at, and note that it did.

    None where it is not to be had now. Raises LedgerUnavailable.
    """
    context.actor.require(Right.READ)
    state = state_of(bundle=bundle, acts=acts_of(bundles=[bundle])[bundle.pk], now=context.now)
    content = BundleContent.objects.filter(bundle=bundle).first()
    if state is not BundleState.SENT or content is None:
        return None
    write_bundle_look(
        actor=context.actor, bundle=bundle, channel=LedgerChannel.PAGE, now=context.now
    )
    _note(bundle, BundleActKind.OPENED, context)
    return bytes(content.body)


def downloaded(*, bundle: Bundle, context: ActContext) -> bytes:
    """Return the file, and note who took it. Raises BundleGone, BundleMoved, LedgerUnavailable."""
    context.actor.require(Right.READ)
    state = state_of(bundle=bundle, acts=acts_of(bundles=[bundle])[bundle.pk], now=context.now)
    if state is BundleState.MADE:
        raise BundleMoved
    if state is not BundleState.SENT:
        raise BundleGone
    if bundle.organization_id == context.actor.organization.pk:
        # A file that leaves the portal goes by the hands of who may send.
        context.actor.require(Right.MANAGE)
    content = BundleContent.objects.filter(bundle=bundle).first()
    if content is None:
        raise BundleGone
    write_bundle_look(
        actor=context.actor, bundle=bundle, channel=LedgerChannel.EXPORT, now=context.now
    )
    _note(bundle, BundleActKind.DOWNLOADED, context)
    holder = {bundle.organization_id} - {context.actor.organization.pk}
    record_cross_party_act("bundle.downloaded", _subject(bundle), context, others=holder)
    return bytes(content.body)


def expire(*, organization_id: int, now: datetime) -> int:
    """Delete what is in an organization's bundles whose time is over; return how many."""
    with organization_scope(organization_id):
        own = BundleContent.objects.for_organization(organization_id)
        over = own.filter(bundle__expires_at__lte=now).select_related("bundle").defer("body")
        rows = [content.bundle for content in over[:BATCH]]
        for bundle in rows:
            _add(bundle, BundleActKind.EXPIRED, organization_id, [organization_id], by="", at=now)
            _purge(bundle)
    return len(rows)


def _hold(bundle: Bundle, context: ActContext, *wanted: BundleState) -> BundleState:
    """Let nobody else act on the holder's bundles; raise BundleMoved unless it stands so."""
    if bundle.organization_id != context.actor.organization.pk:
        raise NotFound
    advisory_locks.hold(Lock.BUNDLES, bundle.pk)
    state = state_of(bundle=bundle, acts=acts_of(bundles=[bundle])[bundle.pk], now=context.now)
    if state not in wanted:
        raise BundleMoved
    return state


def _purge(bundle: Bundle) -> None:
    BundleContent.objects.for_organization(bundle.organization_id).filter(bundle=bundle).delete()
    BundleOriginal.objects.for_organization(bundle.organization_id).filter(bundle=bundle).delete()


def _note(bundle: Bundle, kind: BundleActKind, context: ActContext) -> None:
    own = context.actor.organization.pk
    _add(bundle, kind, own, [bundle.organization_id], by=context.actor.name, at=context.now)


def _write(
    bundle: Bundle, kind: BundleActKind, context: ActContext, *, to: Iterable[int], reason: str = ""
) -> None:
    said = visible_text(reason).strip()[:REASON_LIMIT]
    own = context.actor.organization.pk
    _add(bundle, kind, own, to, by=context.actor.name, at=context.now, reason=said)


def _add(  # noqa: PLR0913  a row in the order of its columns
    bundle: Bundle,
    kind: BundleActKind,
    organization_id: int,
    to: Iterable[int],
    *,
    by: str,
    at: datetime,
    reason: str = "",
) -> None:
    BundleAct.objects.bulk_create(
        [
            BundleAct(
                organization_id=organization_id,
                bundle=bundle,
                counterpart_id=each,
                kind=kind,
                by=by[:150],
                reason=reason,
                at=at,
            )
            for each in to
        ],
        ignore_conflicts=True,
    )


def _subject(bundle: Bundle) -> str:
    return f"{bundle.public_id} {bundle.incident_public_id}"
