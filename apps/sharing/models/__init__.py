"""What organizations agree on, give and show each other, as rows that are written once."""

from apps.sharing.models.agreements import (
    ActKind,
    Agreement,
    AgreementAct,
    AgreementVersion,
    PseudonymKey,
)
from apps.sharing.models.answers import SignedAnswer, SigningKey, SigningSecret
from apps.sharing.models.bundles import (
    Bundle,
    BundleAct,
    BundleActKind,
    BundleContent,
    BundleOriginal,
    RecipientsKey,
)
from apps.sharing.models.ledger import LedgerEntry, LedgerPoint, LedgerSeal

__all__ = [
    "ActKind",
    "Agreement",
    "AgreementAct",
    "AgreementVersion",
    "Bundle",
    "BundleAct",
    "BundleActKind",
    "BundleContent",
    "BundleOriginal",
    "LedgerEntry",
    "LedgerPoint",
    "LedgerSeal",
    "PseudonymKey",
    "RecipientsKey",
    "SignedAnswer",
    "SigningKey",
    "SigningSecret",
]
