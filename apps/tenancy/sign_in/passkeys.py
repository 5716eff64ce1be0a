"""Passkeys: where browsers have them, and what counts of what one signed.

allauth compares challenge, key and signature. Beside it: the origin has to be the portal's own to
the letter, a challenge counts once however the attempt ends, a copy is known by its counter.
"""

import hashlib
import ipaddress
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal import auth
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from fido2.utils import websafe_encode
from fido2.webauthn import AuthenticationResponse, CollectedClientData, RegistrationResponse

from apps.tenancy.models import User

MOST: Final = 20  # of one person: each is read again at each use
NAME_LIMIT: Final = 60
COUNT: Final = "sign_count"
# What a body that no browser made may bring about in the libraries that read it.
UNREADABLE = (
    *(ValidationError, TypeError, ValueError, LookupError),
    *(AttributeError, struct.error, NotImplementedError),
)


class CopiedPasskey(ValidationError):
    """It counted less than before: somebody has a copy of it."""


class WithClientData(Protocol):
    """A signed answer: what the browser says of where and for what it was signed."""

    client_data: CollectedClientData


def own_origin() -> str:
    """Return the portal's origin as browsers write it."""
    parts = urlsplit(settings.PORTAL_BASE_URL)
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    port = f":{parts.port}" if parts.port not in {None, usual} else ""
    return f"{parts.scheme}://{own_host()}{port}"


def own_host() -> str:
    """Return the name that passkeys of this portal are bound to."""
    return urlsplit(settings.PORTAL_BASE_URL).hostname or ""


def are_possible() -> bool:
    """Say whether a browser offers passkeys at the portal's address: by name, and encrypted."""
    host = own_host()
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return settings.PORTAL_BASE_URL.startswith("https://") or host == "localhost"
    return False


def passkeys_of(*, user: User) -> list[Authenticator]:
    """Return a person's passkeys, the oldest first."""
    own = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN)
    return list(own.order_by("created_at", "pk"))


def reference_of(passkey: Authenticator) -> str:
    """Name a passkey in addresses; the number of its row would count everybody's."""
    return hashlib.sha256(passkey.data["credential"]["rawId"].encode()).hexdigest()[:16]


def read_registration(*, credential: Any, is_alone: bool) -> dict[str, Any]:
    """Return what is kept of a new passkey; raise ValidationError.

    Only what was understood: the rest of what was sent is anybody's.
    """
    with as_refusal():
        found = RegistrationResponse.from_dict(credential)
        _check_origin(found.response)
        data = found.response.attestation_object.auth_data.credential_data
        if data is None or not data.public_key.ALGORITHM:
            raise ValueError("no key that can be read")
        return {
            "id": websafe_encode(found.raw_id),
            "rawId": websafe_encode(found.raw_id),
            "type": "public-key",
            "response": {
                "clientDataJSON": websafe_encode(found.response.client_data),
                "attestationObject": websafe_encode(found.response.attestation_object),
            },
            "clientExtensionResults": {"credProps": {"rk": is_alone}},
        }


def person_of(*, credential: Any) -> User | None:
    """Return whose passkey it says it is, which its signature still has to show."""
    with as_refusal():
        handle = AuthenticationResponse.from_dict(credential).response.user_handle or b""
        return User.objects.filter(reference=handle.decode(), is_active=True).first()


def verify(*, user: User, credential: Any, is_alone: bool) -> Authenticator:
    """Return a person's passkey that signed this portal's challenge; raise ValidationError.

    Alone, in place of the password, it has to have asked its owner for a finger, a face or a PIN.
    """
    try:
        with as_refusal():
            signed = AuthenticationResponse.from_dict(credential).response
            _check_origin(signed)
            found: Authenticator = auth.complete_authentication(user, credential)
    finally:
        auth.clear_state()
    may_alone = found.wrap().is_passwordless and signed.authenticator_data.is_user_verified()
    # Whose account only its organization's provider opens is let in by it each time, or not at all.
    if is_alone and not (may_alone and user.has_usable_password()):
        raise get_adapter().validation_error("incorrect_passkey")
    _count(found, counted=signed.authenticator_data.counter)
    return found


def _count(passkey: Authenticator, *, counted: int) -> None:
    # Under lock: of two answers with one number the second is a copy. Many count nothing: always 0.
    with transaction.atomic():
        locked = Authenticator.objects.select_for_update().filter(pk=passkey.pk).first()
        if locked is None:
            raise get_adapter().validation_error("incorrect_passkey")
        former = locked.data.get(COUNT, locked.wrap().authenticator_data.counter)
        if (counted or former) and counted <= former:
            raise CopiedPasskey(get_adapter().error_messages["copied_passkey"], code="copied")
        locked.data[COUNT] = counted
        locked.save(update_fields=["data"])


def _check_origin(signed: WithClientData) -> None:
    if signed.client_data.origin != own_origin() or signed.client_data.cross_origin:
        raise ValueError("signed for another site")


@contextmanager
def as_refusal() -> Iterator[None]:
    """Say the same of all that can be wrong with a passkey."""
    try:
        yield
    except UNREADABLE as error:
        raise get_adapter().validation_error("incorrect_passkey") from error
