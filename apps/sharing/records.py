"""The records that seal themselves, and what reading one of an organization again says of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from apps.sharing.ledger.seals import LEDGER, seal_all
from apps.tenancy.audit.chain import Chain, ChainHead, ChainVerification
from apps.tenancy.audit.verification import AUDIT
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedRecord:
    """One kind of record: what it is called, its chain, and what comes before reading it."""

    name: str
    chain: Chain
    prepare: Callable[[int], None] = lambda _organization_id: None


RECORDS: Final[Mapping[str, SealedRecord]] = MappingProxyType(
    {
        "audit": SealedRecord(name="audit record", chain=AUDIT),
        "ledger": SealedRecord(
            name="share ledger",
            chain=LEDGER,
            prepare=lambda pk: seal_all(organization_id=pk),
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReport:
    """What reading one record of one organization said, and its last entry."""

    organization: str
    record: str
    found: ChainVerification
    head: ChainHead | None

    @property
    def is_whole(self) -> bool:
        """Say whether every entry is as it was written."""
        return self.found.broken is None


def verify_record(
    *, organization: Organization, record: str, known: ChainHead | None, now: datetime
) -> RecordReport:
    """Read all of a record, also against a head that was written down before. Opens the scope."""
    kind = RECORDS[record]
    kind.prepare(organization.pk)
    with organization_scope(organization.pk):
        found = kind.chain.check_all(organization_id=organization.pk, now=now, known=known)
        head = kind.chain.head_of(organization_id=organization.pk)
    return RecordReport(organization=organization.slug, record=record, found=found, head=head)
