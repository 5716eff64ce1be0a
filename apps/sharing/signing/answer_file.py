"""Attested answers as files: what is signed in one spelling, and checking it. Needs no database."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SCHEMA: Final = "faultline.answer/1"
PARTS: Final = frozenset({"schema", "answer", "public_key", "signature"})
KEY_BYTES, SIGNATURE_BYTES = 32, 64
MOST_BYTES: Final = 4 * 2**20
# What stands in front of it: no other thing that the same key may sign reads as an answer.
PREFIX: Final = f"{SCHEMA}\n".encode()


class BadAnswer(ValueError):
    """The file is no answer, or not as it was signed; the text says what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFile:
    """An answer whose signature is good, and the key that made it."""

    document: Mapping[str, Any]
    public_key: bytes

    @property
    def fingerprint(self) -> str:
        """Return the name of the key."""
        return fingerprint_of(self.public_key)


def canonical(document: Mapping[str, Any]) -> bytes:
    """Return a document in the one spelling that is signed: sorted names, no spaces, UTF-8."""
    text = json.dumps(
        document, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return text.encode()


def fingerprint_of(public_key: bytes) -> str:
    """Return the SHA-256 of a public key: what two sides compare."""
    return hashlib.sha256(public_key).hexdigest()


def sign(document: bytes, *, key: Ed25519PrivateKey) -> bytes:
    """Return the signature of a document in its one spelling."""
    return key.sign(PREFIX + document)


def is_signed(document: bytes, *, signature: bytes, public_key: bytes) -> bool:
    """Say whether the owner of a key signed a document in its one spelling."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, PREFIX + document)
    except (InvalidSignature, ValueError):
        return False
    return True


def file_of(*, document: bytes, signature: bytes, public_key: bytes) -> bytes:
    """Return the file that is downloaded."""
    told = {
        "schema": SCHEMA,
        "answer": json.loads(document),
        "public_key": base64.b64encode(public_key).decode(),
        "signature": base64.b64encode(signature).decode(),
    }
    return json.dumps(told, ensure_ascii=False, indent=2, sort_keys=True).encode() + b"\n"


def read_answer(data: bytes) -> AnswerFile:
    """Return the answer in a file, if it is as it was signed; raise BadAnswer."""
    told = _parsed(data)
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise BadAnswer(f"it is no answer of the schema {SCHEMA}")
    if set(told) != PARTS or not isinstance(told["answer"], dict):
        raise BadAnswer(f"an answer has {', '.join(sorted(PARTS))} and nothing else")
    public_key = _bytes(told["public_key"], KEY_BYTES, "public_key")
    signature = _bytes(told["signature"], SIGNATURE_BYTES, "signature")
    document: dict[str, Any] = told["answer"]
    if not is_signed(canonical(document), signature=signature, public_key=public_key):
        raise BadAnswer("its signature does not fit: it was changed, or another key signed it")
    if document.get("key") != fingerprint_of(public_key):
        raise BadAnswer("it names another key than the one it is signed with")
    return AnswerFile(document=document, public_key=public_key)


def _parsed(data: bytes) -> Any:
    if len(data) > MOST_BYTES:
        raise BadAnswer(f"it is larger than any answer: {len(data)} bytes")
    try:
        return json.loads(data, object_pairs_hook=_once, parse_constant=_no_number)
    except BadAnswer:
        raise
    except (ValueError, RecursionError):
        raise BadAnswer("it is no JSON") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadAnswer("it says something twice")
    return found


def _no_number(_text: str) -> NoReturn:
    raise BadAnswer("it holds what is no number")


def _bytes(value: object, length: int, name: str) -> bytes:
    try:
        found = base64.b64decode(str(value), validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != length:
        raise BadAnswer(f"its {name} is not {length} bytes in base64")
    return found
