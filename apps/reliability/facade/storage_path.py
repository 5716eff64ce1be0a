"""A cluster's storage path, as one organization may read it. Needs the actor's scope."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from apps.fleet.access import access_cluster
from apps.fleet.facade.placements import AttemptPlace, attempt_places
from apps.fleet.models import Cluster, ParticipationRole
from apps.fleet.parties.participants import participants
from apps.fleet.values import ClusterName
from apps.incidents.facade.shared import list_shared_storage
from apps.incidents.projection.shared_values import SharedAs
from apps.reliability.prices import Price, price_of
from apps.reliability.storage_path.ledger_rows import ledger_rows, ledger_sums
from apps.reliability.storage_path.phase_detail import phase_detail
from apps.reliability.storage_path.scale_values import scaled_values
from apps.reliability.storage_path.shares import kind_shares
from apps.reliability.storage_path.values import (
    CheckpointLedgerRow,
    HolderNote,
    ShownPhase,
    StoragePathView,
)
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.facade.logged_checkpoints import logged_checkpoints
from apps.telemetry.facade.storage import active_slots, list_phases, open_phase
from apps.telemetry.storage_path import ratings as rating_rows
from apps.tenancy.access import Actor, Right
from apps.tenancy.values import name_of, value_of
from apps.training.storage_path.scale import emergence

NEAR_SECONDS: Final = 300.0
AROUND: Final = timedelta(minutes=10)  # of one save or load: what else may be the same
# Whose part it is to measure how nodes reach the storage.
MEASURE: Final = (ParticipationRole.OPERATOR, ParticipationRole.STORAGE_VENDOR)


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageQuestion:
    """What is asked of a cluster's storage path: a half-open span, and what to look at in it."""

    cluster: str
    since: datetime
    until: datetime
    at: datetime | None = None  # the save or load around this instant in detail
    with_scale: bool = False
    with_shared: bool = True  # what others show, too
    with_phases: bool = True
    with_ledger: bool = True  # else its row of what is looked at alone


def storage_path(
    *, actor: Actor, asked: StorageQuestion, channel: LedgerChannel, now: datetime
) -> StoragePathView:
    """Return a cluster's saves and loads in a span. Raises NotFound, LedgerUnavailable."""
    actor.require(Right.READ)
    cluster = access_cluster(actor=actor, slug=asked.cluster)
    span = {"since": asked.since, "until": asked.until}
    phases = _phases(actor, cluster, asked, channel, now) if asked.with_phases else ()
    places = attempt_places(actor=actor, cluster=cluster.slug, **span)
    shown = _looked_at(phases, asked.at)
    if shown is not None and not asked.with_ledger:
        shown = _with_hosts(actor, shown)
    price = price_of(actor=actor)
    told = _LedgerReading(actor=actor, asked=asked, places=places, price=_hourly(price))
    ledger = told.ledger(phases, shown)
    ratings = rating_rows.ratings_of(actor=actor, cluster=cluster)
    scaled = (
        tuple(
            scaled_values(
                slots=active_slots(actor=actor, cluster_id=cluster.pk, **span), places=places
            )
        )
        if asked.with_scale
        else ()
    )
    return StoragePathView(
        cluster=value_of(ClusterName, cluster),
        since=asked.since,
        until=asked.until,
        is_simulated=cluster.is_simulated,
        phases=phases,
        ledger=ledger,
        price=price,
        sums=ledger_sums(ledger, price=told.price),
        idle_untold=Counter(each.kind for each in ledger if each.idled_gpu_hours is None),
        shares=kind_shares(phases=phases, ratings=ratings, at=min(asked.until, now)),
        ratings=ratings,
        may_rate=rating_rows.may_rate(actor=actor, cluster=cluster),
        detail=phase_detail(shown=shown, ledger=ledger, ratings=ratings) if shown else None,
        scale=emergence(scaled) if asked.with_scale else None,
        scaled_run_count=len({each.run for each in scaled}),
        holders=_holders(actor, cluster, phases) if asked.with_phases else (),
    )


def _hourly(price: Price | None) -> float | None:
    return float(price.per_gpu_hour) if price else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _LedgerReading:
    """What logs of the reader tell of the span."""

    actor: Actor
    asked: StorageQuestion
    places: tuple[AttemptPlace, ...]
    price: float | None  # of a GPU-hour

    def ledger(
        self, phases: tuple[ShownPhase, ...], shown: ShownPhase | None
    ) -> tuple[CheckpointLedgerRow, ...]:
        """Return the ledger; where it is not asked for what stands in it of one save or load."""
        since, until = self.asked.since, self.asked.until
        if not self.asked.with_ledger:
            if shown is None:
                return ()
            since, until = shown.phase.starts_at - AROUND, shown.phase.ends_at + AROUND
            phases = (shown,)
        logged = logged_checkpoints(
            actor=self.actor,
            session_ids={each.session_id for each in self.places},
            since=since,
            until=until,
        )
        return ledger_rows(logged=logged, phases=phases, places=self.places, price=self.price)


def _with_hosts(actor: Actor, shown: ShownPhase) -> ShownPhase:
    """Return an own phase with its hosts, which a list leaves out."""
    if shown.shared is not None:
        return shown
    return replace(shown, phase=open_phase(actor=actor, number=shown.phase.id))


def checkpoint_ledger(
    *, actor: Actor, asked: StorageQuestion, channel: LedgerChannel, now: datetime
) -> tuple[CheckpointLedgerRow, ...]:
    """Return the ledger alone, for exports. Raises NotFound, LedgerUnavailable."""
    return storage_path(actor=actor, asked=asked, channel=channel, now=now).ledger


def _phases(
    actor: Actor,
    cluster: Cluster,
    asked: StorageQuestion,
    channel: LedgerChannel,
    now: datetime,
) -> tuple[ShownPhase, ...]:
    own = list_phases(actor=actor, cluster_id=cluster.pk, since=asked.since, until=asked.until)
    others = (
        list_shared_storage(
            actor=actor,
            cluster=cluster.slug,
            span=(asked.since, asked.until),
            now=now,
            channel=channel,
        )
        if asked.with_shared
        else ()
    )
    found = [
        *(ShownPhase(phase=each) for each in own),
        *(ShownPhase(phase=each.phase, shared=each.shared) for each in others),
    ]
    return tuple(sorted(found, key=lambda each: (each.phase.starts_at, each.phase.id)))


def _looked_at(phases: Sequence[ShownPhase], at: datetime | None) -> ShownPhase | None:
    """Return the save or load around an instant, else the nearest; without one the newest."""
    if at is None:
        return phases[-1] if phases else None

    def distance(each: ShownPhase) -> float:
        phase = each.phase
        outside = max(phase.starts_at - at, at - phase.ends_at)
        return max(outside.total_seconds(), 0.0)

    near = min(phases, key=distance, default=None)
    return near if near and distance(near) <= NEAR_SECONDS else None


def _holders(
    actor: Actor, cluster: Cluster, phases: Sequence[ShownPhase]
) -> tuple[HolderNote, ...]:
    """Return who else may measure the path, and how much of it is shown; not whether they do."""
    shown: dict[int, SharedAs] = {
        each.shared.holder.id: each.shared for each in phases if each.shared
    }
    return tuple(
        HolderNote(
            organization=name_of(each.organization),
            parts=tuple(str(part) for part in each.parts),
            shown=shown.get(each.organization.pk),
        )
        for each in participants(actor=actor, cluster=cluster)
        if each.organization.pk != actor.organization.pk and set(each.parts) & set(MEASURE)
    )
