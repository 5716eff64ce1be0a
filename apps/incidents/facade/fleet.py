"""What others show of parts of a cluster at an instant. Needs the scope of the actor."""

from collections.abc import Collection, Sequence
from datetime import datetime

from apps.fleet.access import access_cluster
from apps.incidents.projection.shared import shared_fleet
from apps.incidents.projection.shared.measured_elsewhere import (
    MeasuredElsewhere,
    measured_elsewhere,
)
from apps.incidents.projection.shared.recorded_access import (
    recorded_moment_span,
    recorded_moments,
)
from apps.incidents.projection.shared.shared_fleet import MomentQuestion, SharedMoment
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor


def list_shared_moments(
    *,
    actor: Actor,
    cluster: str,
    signal: str,
    at: datetime,
    now: datetime,
    channel: LedgerChannel = LedgerChannel.PAGE,
) -> Sequence[SharedMoment]:
    """Return what others show of a signal. Raises NotFound, LedgerUnavailable."""
    found = access_cluster(actor=actor, slug=cluster)
    asked = MomentQuestion(cluster=found, signal=signal, at=at, now=now)
    return recorded_moments(actor=actor, asked=asked, channel=channel)


def list_shared_moment_span(
    *,
    actor: Actor,
    cluster: str,
    signal: str,
    instants: Sequence[datetime],
    now: datetime,
    channel: LedgerChannel = LedgerChannel.PAGE,
) -> Sequence[Sequence[SharedMoment]]:
    """Return what others show at each of several instants. Raises NotFound, LedgerUnavailable."""
    found = access_cluster(actor=actor, slug=cluster)
    asked = [MomentQuestion(cluster=found, signal=signal, at=at, now=now) for at in instants]
    return recorded_moment_span(actor=actor, asked=asked, channel=channel)


def measured_by_others(
    *, actor: Actor, measured: Collection[int], now: datetime
) -> tuple[MeasuredElsewhere, ...]:
    """Return who may measure what a vendor answers for, in clusters that its own metrics tell
    nothing of; `measured` are the ids of the others.
    """
    return measured_elsewhere(actor=actor, measured=measured, now=now)


def list_shared_signals(
    *, actor: Actor, cluster: str, at: datetime, now: datetime
) -> frozenset[str]:
    """Return which signals others show, by name alone. Raises NotFound."""
    found = access_cluster(actor=actor, slug=cluster)
    asked = MomentQuestion(cluster=found, at=at, now=now)
    return shared_fleet.shared_signals(actor=actor, asked=asked)
