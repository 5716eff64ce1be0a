"""What operators and storage vendors say that a cluster's storage path could carry, and since when.

An entry is never changed; a later one takes its place. All parties of the cluster read them, with
who entered them: a share of something that not everybody sees would be worth nothing.
"""

import math
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from apps.fleet.access import access_cluster, parts_in
from apps.fleet.models import Cluster, ParticipationRole
from apps.telemetry.models import StorageRating
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.lookups import parties_of
from apps.tenancy.scope import organization_scope
from apps.tenancy.values import OrganizationName, name_of

MAY_ENTER: Final = frozenset({ParticipationRole.OPERATOR, ParticipationRole.STORAGE_VENDOR})
MOST_ENTRIES: Final = 200


class RatingKind(StrEnum):
    """What can be said."""

    SAVE = "save"  # bytes a second that the storage is rated at for writing, for all nodes together
    LOAD = "load"  # the same for reading
    ADAPTER = "adapter"  # bits a second of one node's adapters towards the storage
    SLOTS = "slots"  # RPC slots of one mount of one node
    REQUEST_BYTES = "request-bytes"  # of one request: wsize


# From what to what a value may be said: what lies outside is a slip of the unit.
BOUNDS: Final = {
    RatingKind.SAVE: (1e6, 1e15),
    RatingKind.LOAD: (1e6, 1e15),
    RatingKind.ADAPTER: (1e8, 1e13),
    RatingKind.SLOTS: (1, 65_536),
    RatingKind.REQUEST_BYTES: (1024, 2**30),
}


class BadRating(ValueError):
    """A rating that can't be; the text says what is possible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One entry, with who made it."""

    kind: RatingKind
    value: float
    valid_from: datetime
    entered_at: datetime
    entered_by: str
    organization: OrganizationName


def may_rate(*, actor: Actor, cluster: Cluster) -> bool:
    """Say whether the actor may enter what the cluster's storage path is rated at."""
    parts = {each.part for each in parts_in(actor=actor, cluster=cluster)}
    return Right.ACT in actor.rights and bool(parts & MAY_ENTER)


def enter_rating(
    *, actor: Actor, slug: str, kind: RatingKind, value: float, valid_from: datetime, now: datetime
) -> Rating:
    """Enter a rating; raise NotFound for whoever may not, BadRating. Needs the actor's scope."""
    actor.require(Right.ACT)
    cluster = access_cluster(actor=actor, slug=slug)
    if not may_rate(actor=actor, cluster=cluster):
        raise NotFound
    least, most = BOUNDS[kind]
    if not math.isfinite(value) or not least <= value <= most:
        raise BadRating(f"{kind}: {value:g} is not between {least:g} and {most:g}")
    row = StorageRating.objects.create(
        organization=actor.organization,
        cluster=cluster,
        kind=kind,
        value=value,
        valid_from=valid_from,
        entered_at=now,
        entered_by=actor.name[:150],
    )
    row.organization = actor.organization
    return _rating(row)


def ratings_of(*, actor: Actor, cluster: Cluster) -> tuple[Rating, ...]:
    """Return what was entered of a cluster that came through a door, the newest first."""
    actor.require(Right.READ)
    with organization_scope(*parties_of(cluster_id=cluster.pk)):
        rows = StorageRating.objects.filter(cluster=cluster).select_related("organization")
        return tuple(map(_rating, rows.order_by("-entered_at", "-id")[:MOST_ENTRIES]))


def rating_at(ratings: tuple[Rating, ...], *, kind: RatingKind, at: datetime) -> Rating | None:
    """Return what held at an instant: of what was valid then the latest, then the last entered."""
    held = [each for each in ratings if each.kind is kind and each.valid_from <= at]
    return max(held, key=lambda each: (each.valid_from, each.entered_at), default=None)


def _rating(row: StorageRating) -> Rating:
    return Rating(
        kind=RatingKind(row.kind),
        value=row.value,
        valid_from=row.valid_from,
        entered_at=row.entered_at,
        entered_by=row.entered_by,
        organization=name_of(row.organization),
    )
