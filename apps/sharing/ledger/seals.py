"""The chain over a holder's ledger: every entry gets its place and its seal a moment after.

The portal's worker seals once a minute, and whoever reads or proves the ledger seals first. An
entry that is changed or removed behind the portal before it is sealed is not found.
"""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef

from apps.sharing.models import LedgerEntry, LedgerPoint, LedgerSeal
from apps.tenancy.audit.chain import START, Chain
from apps.tenancy.database import advisory_locks
from apps.tenancy.database.advisory_locks import Lock
from apps.tenancy.models import OwnedQuerySet
from apps.tenancy.scope import organization_scope

AT_ONCE: Final = 1000  # entries that one transaction seals


def seal_entries(*, organization_id: int, since: datetime | None = None) -> int:
    """Seal what of a holder's ledger has no seal; return how many. Needs the scope."""
    waiting = unsealed(organization_id=organization_id)
    if since is not None:
        waiting = waiting.filter(at__gte=since)
    if not waiting.exists():
        return 0
    advisory_locks.hold(Lock.LEDGER_CHAIN, organization_id)
    last = _links(organization_id).order_by("-sequence").first()
    sequence, former = (last.sequence, bytes(last.digest)) if last else (0, START)
    made = []
    for entry in waiting.order_by("id")[:AT_ONCE]:
        sequence += 1
        seal = LedgerSeal(organization_id=organization_id, sequence=sequence, entry=entry)
        seal.digest = former = digest_of_seal(seal, former)
        made.append(seal)
    LedgerSeal.objects.bulk_create(made)
    return len(made)


def seal_all(*, organization_id: int, since: datetime | None = None) -> None:
    """Seal all that waits, some at a time. Opens the scope."""
    while True:
        with organization_scope(organization_id):
            if seal_entries(organization_id=organization_id, since=since) < AT_ONCE:
                return


def unsealed(*, organization_id: int) -> OwnedQuerySet[LedgerEntry]:
    """Return the entries that wait for their seal. Needs the scope."""
    seals = LedgerSeal.objects.for_organization(organization_id).filter(entry=OuterRef("pk"))
    return LedgerEntry.objects.for_organization(organization_id).filter(~Exists(seals))


def digest_of_seal(seal: LedgerSeal, former: bytes) -> bytes:
    """Return what seals an entry at its place together with the digest of the one before it."""
    entry = seal.entry
    told = [
        *(seal.organization_id, seal.sequence, entry.organization_id, entry.public_id),
        *(_time(entry.at), entry.day.isoformat(), entry.reader_id, entry.reader_kind),
        *(entry.reader_label, entry.channel, entry.subject_kind, entry.subject),
        *(entry.ground_kind, entry.ground, entry.ground_version, entry.shown, entry.count),
        bytes(entry.digest).hex(),
    ]
    words = json.dumps(told, ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(former + words.encode()).digest()


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _links(organization_id: int) -> Any:
    return LedgerSeal.objects.for_organization(organization_id).select_related("entry")


LEDGER: Final = Chain(
    links=_links, digest_of=digest_of_seal, points=LedgerPoint, salt="ledger.point"
)
