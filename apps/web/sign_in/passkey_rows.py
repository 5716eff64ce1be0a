"""Passkeys in the list of their owner."""

from dataclasses import dataclass
from datetime import datetime

from allauth.mfa.models import Authenticator

from apps.tenancy.sign_in import passkeys


@dataclass(frozen=True, slots=True, kw_only=True)
class PasskeyRow:
    """A passkey in the list of its owner."""

    reference: str
    name: str
    added_at: datetime
    used_at: datetime | None
    is_alone: bool  # signs in without the password


def passkey_row(passkey: Authenticator) -> PasskeyRow:
    """Return one passkey as its owner sees it."""
    kept = passkey.wrap()
    return PasskeyRow(
        reference=passkeys.reference_of(passkey),
        name=kept.name,
        added_at=passkey.created_at,
        used_at=passkey.last_used_at,
        is_alone=bool(kept.is_passwordless),
    )
