"""What organizations agree on and show each other, as rows that are written once."""

from apps.sharing.models.agreements import (
    ActKind,
    Agreement,
    AgreementAct,
    AgreementVersion,
    PseudonymKey,
)
from apps.sharing.models.ledger import LedgerEntry, LedgerPoint, LedgerSeal

__all__ = [
    "ActKind",
    "Agreement",
    "AgreementAct",
    "AgreementVersion",
    "LedgerEntry",
    "LedgerPoint",
    "LedgerSeal",
    "PseudonymKey",
]
