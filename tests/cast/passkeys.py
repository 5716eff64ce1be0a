"""A device with a passkey, in software: what a browser would send of it."""

import hashlib
import json
import secrets
import struct
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.utils import websafe_decode, websafe_encode

PRESENT, VERIFIED, WITH_KEY = 0x01, 0x04, 0x40


@dataclass(slots=True, kw_only=True)
class Device:
    """One passkey: its key, its counter, and the site that it believes to be at."""

    origin: str
    counter: int = 0
    is_verifying: bool = True  # asks for a finger, a face or a PIN
    id: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    user: str = ""

    def make(self, options: dict[str, Any]) -> str:
        """Return what a browser sends of a new passkey."""
        self.user = options["user"]["id"]
        point = self.key.public_key().public_numbers()
        x, y = (each.to_bytes(32, "big") for each in (point.x, point.y))
        public = cbor.encode({1: 2, 3: -7, -1: 1, -2: x, -3: y})  # ES256 on P-256, RFC 9053
        key = bytes(16) + struct.pack(">H", len(self.id)) + self.id + public
        data = self._data(options["rp"]["id"], flags=WITH_KEY) + key
        made = cbor.encode({"fmt": "none", "attStmt": {}, "authData": data})
        return self._sent(
            clientDataJSON=self._client_data("webauthn.create", options["challenge"]),
            attestationObject=made,
        )

    def sign(self, options: dict[str, Any]) -> str:
        """Return what a browser sends of a passkey that is used."""
        self.counter += 1 if self.counter else 0
        client_data = self._client_data("webauthn.get", options["challenge"])
        data = self._data(options["rpId"])
        signed = data + hashlib.sha256(client_data).digest()
        return self._sent(
            clientDataJSON=client_data,
            authenticatorData=data,
            signature=self.key.sign(signed, ec.ECDSA(hashes.SHA256())),
            userHandle=websafe_decode(self.user),
        )

    def _client_data(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _data(self, site: str, *, flags: int = 0) -> bytes:
        flags |= PRESENT | (VERIFIED if self.is_verifying else 0)
        return hashlib.sha256(site.encode()).digest() + struct.pack(">BI", flags, self.counter)

    def _sent(self, **response: bytes) -> str:
        named = websafe_encode(self.id)
        return json.dumps(
            {
                "id": named,
                "rawId": named,
                "type": "public-key",
                "response": {name: websafe_encode(value) for name, value in response.items()},
                "clientExtensionResults": {},
            }
        )
