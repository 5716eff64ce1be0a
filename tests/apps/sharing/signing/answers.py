"""A signed answer as a file, by a key that everybody knows."""

from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from apps.sharing.signing.answer_file import canonical, file_of, fingerprint_of, sign

KEY = Ed25519PrivateKey.from_private_bytes(b"\x01" * 32)
OTHER = Ed25519PrivateKey.from_private_bytes(b"\x02" * 32)
PUBLIC = KEY.public_key().public_bytes_raw()
KEY_NAME = fingerprint_of(PUBLIC)
TOLD = {
    "id": "ANS-1",
    "request": "REQ-1",
    "incident": "INC-1",
    "data": "logs:kernel",
    "holder": {"slug": "aurora", "name": "Aurora"},
    "asker": {"slug": "northwind", "name": "Northwind 노스"},
    "window": {"from": "2026-11-21T01:30:00+00:00", "to": "2026-11-21T02:30:00+00:00"},
    "findings": [
        {
            "rule": "gpu-errors",
            "outcome": "holds",
            "text": "No errors of GPUs",
            "coverage": {"is_whole": True},
        }
    ],
    "simulated": False,
    "at": "2026-11-21T03:00:00+00:00",
    "key": KEY_NAME,
}


def made(
    told: dict[str, Any] = TOLD, *, key: Ed25519PrivateKey = KEY, public: bytes = PUBLIC
) -> bytes:
    """Return the file of a document."""
    document = canonical(told)
    return file_of(document=document, signature=sign(document, key=key), public_key=public)
