"""The one way to what others show: nothing of it leaves before the ledger has it.

Every read that may hold something shared goes through `recorded_access`. What was handed out inside
it is written into its holders' ledgers at its end; where that fails, `LedgerUnavailable` is raised
and the caller has nothing to send.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from apps.incidents.models import Incident
from apps.incidents.projection.shared.handed_out import HandedOut
from apps.incidents.projection.shared.shared_access import SharedAccess, shared_access
from apps.incidents.projection.shared.shared_warnings import (
    WarningFilter,
    hand_out_warning,
    shared_warnings,
)
from apps.incidents.projection.shared_values import SharedWarning
from apps.sharing.ledger.entries import WARNINGS, write_looks
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
