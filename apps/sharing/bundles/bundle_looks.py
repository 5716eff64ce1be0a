"""That a recipient was shown a bundle, in the ledger that both sides read."""

from collections import Counter
from datetime import datetime

from apps.sharing.ledger.entries import Ground, Look, write_looks
from apps.sharing.ledger_kinds import GroundKind, LedgerChannel
from apps.sharing.models import Bundle
from apps.tenancy.access import Actor


def write_bundle_look(
    *, actor: Actor, bundle: Bundle, channel: LedgerChannel, now: datetime
) -> None:
    """Write down that it is handed out, before it is. Raises LedgerUnavailable."""
    if bundle.organization_id == actor.organization.pk:
        return
    level = bundle.manifest["redaction"]["level"]
    look = Look(
        holder_id=bundle.organization_id,
        ground=Ground(kind=GroundKind.BUNDLE, public_id=bundle.public_id, version=1),
        subject=bundle.incident_public_id,
        counts=Counter(
            {(each["data"], level): each["count"] for each in bundle.manifest["classes"]}
        ),
        digest=bytes(bundle.digest),
    )
    write_looks(actor=actor, channel=channel, looks=[look], now=now)
