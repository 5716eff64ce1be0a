"""Agreements and bundles as rows: each is written once, by the side that says it."""

from apps.sharing.models.agreements import (
    ActKind,
    Agreement,
    AgreementAct,
    AgreementVersion,
    PseudonymKey,
)
from apps.sharing.models.bundles import (
    Bundle,
    BundleAct,
    BundleActKind,
    BundleContent,
    BundleOriginal,
    RecipientsKey,
)

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
    "PseudonymKey",
    "RecipientsKey",
]
