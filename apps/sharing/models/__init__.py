"""Agreements as rows: each is written once, by the side that says it."""

from apps.sharing.models.agreements import (
    ActKind,
    Agreement,
    AgreementAct,
    AgreementVersion,
    PseudonymKey,
)

__all__ = ["ActKind", "Agreement", "AgreementAct", "AgreementVersion", "PseudonymKey"]
