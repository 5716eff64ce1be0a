"""Signatures of the Standard Webhooks specification 1.0, with symmetric keys.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import base64
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime

MARK = "whsec_"
KEY_BYTES = 32  # the specification asks for 24 to 64


def new_secret() -> str:
    """Return a random secret in the form that verifying libraries take."""
    return MARK + base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode("ascii")


def headers_of(
    *, message_id: str, at: datetime, body: bytes, signed_with: Sequence[str]
) -> dict[str, str]:
    """Return the three headers of a message; one signature for each secret that is in force."""
    stamp = str(int(at.timestamp()))
    told = b".".join((message_id.encode(), stamp.encode(), body))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": stamp,
        "webhook-signature": " ".join(_signature(secret, told) for secret in signed_with),
    }


def _signature(secret: str, told: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(MARK))
    return "v1," + base64.b64encode(hmac.digest(key, told, "sha256")).decode("ascii")
