"""Evidence bundles as values, and what is done with those that were made. Needs the scope."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from apps.fleet.parties.cross_party_acts import ActContext
from apps.fleet.values import ClusterName
from apps.sharing.bundles import bundle_acts as acts
from apps.sharing.bundles import bundle_names
from apps.sharing.bundles.bundle_contents import BundleRoom
from apps.sharing.bundles.bundle_reading import Contents, shown_contents
from apps.sharing.bundles.bundle_rows import (
    access_bundle,
    access_bundles,
    acts_of,
    bundle_room,
    own_bundle,
    state_of,
)
from apps.sharing.bundles.bundle_states import BundleState
from apps.sharing.models import Bundle, BundleAct, BundleActKind, BundleOriginal
from apps.tenancy.access import Actor
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, name_of, value_of

UNOPENED_AT_MOST: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleStep:
    """What somebody did with a bundle."""

    kind: str
    organization: OrganizationName
    by: str  # empty: of another organization, or the portal itself
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleView:
    """A bundle as a reader may know it: its holder, or who was sent it."""

    public_id: str
    state: BundleState
    holder: OrganizationName
    is_own: bool
    recipients: tuple[OrganizationName, ...]
    outside: str
    incident: str
    cluster: ClusterName
    purpose: str
    manifest: Mapping[str, Any]
    digest: str
    size: int
    is_simulated: bool
    made_by: str  # for its own organization
    made_at: datetime
    expires_at: datetime
    steps: tuple[BundleStep, ...]

    @property
    def is_readable(self) -> bool:
        """Say whether its recipients have it now."""
        return self.state is BundleState.SENT

    @property
    def sent_at(self) -> datetime | None:
        """Return since when its recipients have it."""
        return next((each.at for each in self.steps if each.kind == BundleActKind.SENT), None)

    @property
    def recipient_names(self) -> tuple[str, ...]:
        """Return who gets it, by name."""
        names = [each.name for each in self.recipients]
        return (*names, self.outside) if self.outside else tuple(names)


def room_for(*, actor: Actor) -> BundleRoom:
    """Return how much of its bundles the actor's organization keeps, and how much it may."""
    return bundle_room(actor=actor)


def list_bundles(
    *, actor: Actor, now: datetime, incident: str | None = None
) -> tuple[BundleView, ...]:
    """Return what the actor's organization made and was sent, the newest first."""
    rows = access_bundles(actor=actor)
    if incident is not None:
        rows = rows.filter(incident_public_id=incident)
    return _views(actor, list(rows), now)


def unopened_bundles(*, actor: Actor, now: datetime) -> tuple[BundleView, ...]:
    """Return what the actor's organization was sent, can read and has not looked at yet."""
    own = actor.organization.pk
    seen = BundleAct.objects.for_organization(actor.organization).filter(
        kind__in=(BundleActKind.OPENED, BundleActKind.DOWNLOADED)
    )
    rows = access_bundles(actor=actor).exclude(organization=actor.organization)
    fresh = rows.filter(expires_at__gt=now).exclude(pk__in=seen.values("bundle"))
    views = _views(actor, list(fresh[:UNOPENED_AT_MOST]), now)
    return tuple(view for view in views if view.is_readable and view.holder.id != own)


def open_bundle(*, actor: Actor, public_id: str, now: datetime) -> BundleView:
    """Return one of these; raise NotFound."""
    return _views(actor, [access_bundle(actor=actor, public_id=public_id)], now)[0]


def open_own_bundle(*, actor: Actor, public_id: str, now: datetime) -> BundleView:
    """Return one that the actor's organization made; raise NotFound."""
    return _views(actor, [own_bundle(actor=actor, public_id=public_id)], now)[0]


def preview_of(*, actor: Actor, public_id: str) -> Contents:
    """Return section → its rows, each with what stood there and what goes; its holder's alone.

    Nothing once the bundle is over. Raises NotFound.
    """
    row = own_bundle(actor=actor, public_id=public_id)
    kept = BundleOriginal.objects.for_organization(actor.organization).filter(bundle=row).first()
    found: dict[str, list[dict[str, Any]]] = (
        json.loads(zlib.decompress(bytes(kept.body))) if kept else {}
    )
    return found


def contents_of(*, actor: Actor, public_id: str, context: ActContext) -> Contents:
    """Return section → its rows as its recipients have them. Raises NotFound.

    It is noted that a person looked. Nothing before it is sent, or once it is over. Raises
    LedgerUnavailable.
    """
    row = access_bundle(actor=actor, public_id=public_id)
    body = acts.opened(bundle=row, context=context)
    return shown_contents(body) if body else {}


def name_behind(*, actor: Actor, public_id: str, name: str) -> str | None:
    """Return what a pseudonym of a bundle of one's own stands for. Raises NotFound."""
    row = own_bundle(actor=actor, public_id=public_id)
    rows = preview_of(actor=actor, public_id=public_id).get("lines", ())
    return bundle_names.name_behind(actor=actor, bundle=row, rows=rows, name=name)


def send(*, actor: Actor, public_id: str, context: ActContext) -> None:
    """Let the recipients have it. Raises NotFound, BundleMoved, RecipientLeft."""
    acts.send(bundle=own_bundle(actor=actor, public_id=public_id), context=context)


def revoke(*, actor: Actor, public_id: str, reason: str, context: ActContext) -> None:
    """Take it back. Raises NotFound, BundleMoved."""
    acts.revoke(bundle=own_bundle(actor=actor, public_id=public_id), reason=reason, context=context)


def download(*, actor: Actor, public_id: str, context: ActContext) -> bytes:
    """Return the file, and note who took it. Raises NotFound, BundleGone, BundleMoved."""
    return acts.downloaded(bundle=access_bundle(actor=actor, public_id=public_id), context=context)


def _views(actor: Actor, rows: Sequence[Bundle], now: datetime) -> tuple[BundleView, ...]:
    done = acts_of(bundles=rows)
    ids = {each for row in rows for each in row.recipients}
    named = {pk: name_of(row) for pk, row in Organization.objects.in_bulk(list(ids)).items()}
    return tuple(_view(actor, row, done[row.pk], named, now) for row in rows)


def _view(
    actor: Actor,
    row: Bundle,
    done: Sequence[BundleAct],
    named: Mapping[int, OrganizationName],
    now: datetime,
) -> BundleView:
    own = actor.organization.pk
    is_own = row.organization_id == own
    steps = {(act.kind, act.organization_id, act.by): act for act in reversed(done)}
    return BundleView(
        public_id=row.public_id,
        state=state_of(bundle=row, acts=done, now=now),
        holder=name_of(row.organization),
        is_own=is_own,
        recipients=tuple(named[each] for each in row.recipients if each in named),
        outside=row.outside,
        incident=row.incident_public_id,
        cluster=value_of(ClusterName, row.cluster),
        purpose=row.purpose,
        manifest=row.manifest,
        digest=bytes(row.digest).hex(),
        size=row.size,
        is_simulated=row.is_simulated,
        made_by=row.made_by if is_own else "",
        made_at=row.made_at,
        expires_at=row.expires_at,
        steps=tuple(_step(each, own) for each in reversed(steps.values())),
    )


def _step(act: BundleAct, own: int) -> BundleStep:
    return BundleStep(
        kind=act.kind,
        organization=name_of(act.organization),
        by=act.by if act.organization_id == own else "",
        reason=act.reason,
        at=act.at,
    )
