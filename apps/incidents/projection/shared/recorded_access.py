"""The one way to what others show: nothing of it leaves before the ledger has it.

Every read that may hold something shared goes through `recorded_access`. What was handed out inside
it is written into its holders' ledgers at its end; where that fails, `LedgerUnavailable` is raised
and the caller has nothing to send.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from apps.incidents.models import Incident
from apps.incidents.projection.shared.shared_access import SharedAccess, shared_access
from apps.sharing.ledger.entries import write_looks
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
