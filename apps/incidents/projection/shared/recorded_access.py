"""The one way to what others show: nothing of it leaves before the ledger has it.

Every read that may hold something shared goes through `recorded_access`. What was handed out inside
it is written into its holders' ledgers at its end; where that fails, `LedgerUnavailable` is raised
and the caller has nothing to send.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from apps.fleet.models import Cluster
from apps.incidents.models import Incident
from apps.incidents.projection.shared.handed_out import HandedOut
from apps.incidents.projection.shared.shared_access import SharedAccess, shared_access
from apps.incidents.projection.shared.shared_changes import hand_out_change, shared_changes
from apps.incidents.projection.shared.shared_fleet import (
    MomentQuestion,
    SharedMoment,
    hand_out_moment,
    shared_moments,
)
from apps.incidents.projection.shared.shared_storage import hand_out_phase, shared_storage
from apps.incidents.projection.shared.shared_warnings import (
    WarningFilter,
    hand_out_warning,
    shared_warnings,
)
from apps.incidents.projection.shared_values import (
    SharedChange,
    SharedStoragePhase,
    SharedWarning,
)
from apps.sharing.ledger.entries import CHANGES, FLEET, STORAGE, WARNINGS, write_looks
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor


@contextmanager
def recorded_access(
    *, actor: Actor, incident: Incident, channel: LedgerChannel | None
) -> Iterator[SharedAccess | None]:
    """Return what others show the actor's organization of an incident, and write down what was.

    Without a channel nothing of others is shown. Needs the reader's scope. Raises LedgerUnavailable
    at its end.
    """
    access = shared_access(actor=actor, incident=incident) if channel else None
    yield access
    if access is not None and channel is not None:
        looks = access.handed_out.looks(subject=incident.public_id)
        write_looks(actor=actor, channel=channel, looks=looks, now=access.now)


def recorded_warnings(
    *, actor: Actor, wanted: WarningFilter, limit: int, channel: LedgerChannel, now: datetime
) -> Sequence[SharedWarning]:
    """Return what others show of their warnings, and write down that they did.

    Needs the reader's scope. Raises LedgerUnavailable.
    """
    found = shared_warnings(actor=actor, wanted=wanted, limit=limit, now=now)
    by_cluster: dict[str, HandedOut] = {}
    for each in found:
        slug = each.episode.cluster.slug
        hand_out_warning(by_cluster.setdefault(slug, HandedOut()), each)
    looks = [
        look
        for slug, handed_out in by_cluster.items()
        for look in handed_out.looks(subject=slug, subject_kind=WARNINGS)
    ]
    write_looks(actor=actor, channel=channel, looks=looks, now=now)
    return found


def recorded_storage(
    *,
    actor: Actor,
    cluster: Cluster,
    span: tuple[datetime, datetime],
    channel: LedgerChannel,
    now: datetime,
) -> Sequence[SharedStoragePhase]:
    """Return what others show of a cluster's saves and loads, and write down that they did.

    Needs the reader's scope. Raises LedgerUnavailable.
    """
    found = shared_storage(actor=actor, cluster=cluster, since=span[0], until=span[1], now=now)
    handed_out = HandedOut()
    for each in found:
        hand_out_phase(handed_out, each)
    looks = handed_out.looks(subject=cluster.slug, subject_kind=STORAGE)
    write_looks(actor=actor, channel=channel, looks=looks, now=now)
    return found


def recorded_changes(
    *,
    actor: Actor,
    cluster: Cluster,
    span: tuple[datetime, datetime],
    channel: LedgerChannel,
    now: datetime,
    incident: Incident | None = None,
) -> Sequence[SharedChange]:
    """Return what others show of what they changed, and write down that they did.

    Needs the reader's scope. Raises LedgerUnavailable.
    """
    found = shared_changes(
        actor=actor, cluster=cluster, since=span[0], until=span[1], now=now, incident=incident
    )
    handed_out = HandedOut()
    for each in found:
        hand_out_change(handed_out, each)
    looks = handed_out.looks(subject=cluster.slug, subject_kind=CHANGES)
    write_looks(actor=actor, channel=channel, looks=looks, now=now)
    return found


def recorded_moments(
    *, actor: Actor, asked: MomentQuestion, channel: LedgerChannel
) -> Sequence[SharedMoment]:
    """Return what others show of a cluster's parts at an instant, and write down that they did.

    Needs the reader's scope. Raises LedgerUnavailable.
    """
    return recorded_moment_span(actor=actor, asked=[asked], channel=channel)[0]


def recorded_moment_span(
    *, actor: Actor, asked: Sequence[MomentQuestion], channel: LedgerChannel
) -> Sequence[Sequence[SharedMoment]]:
    """Return the same for several instants of one cluster, written down as one look.

    Needs the reader's scope. Raises LedgerUnavailable.
    """
    # Each instant by itself: whom the reader may know by name then is not whom it may know later,
    # and a name beside the same value would tell whose pseudonym that is.
    found = [shared_moments(actor=actor, asked=each) for each in asked]
    handed_out = HandedOut()
    for question, some in zip(asked, found, strict=True):
        for each in some:
            hand_out_moment(handed_out, question, each)
    looks = handed_out.looks(subject=asked[0].cluster.slug, subject_kind=FLEET)
    write_looks(actor=actor, channel=channel, looks=looks, now=asked[0].now)
    return found
