"""Values → names that stand for them under one key: the same everywhere, unlike under another.

A name is a prefix that says the kind, ten letters out of HMAC-SHA256, and one that proves that
this key made it. Ten letters of 28 are 48 bits: among 10,000 values of a kind two meet with
a chance of 2 in 10 million. Nothing is stored.
"""

import hmac
import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, Final

from apps.sharing.redaction.addresses import KEY_BYTES, AddressPseudonyms, is_of_nobody
from apps.sharing.redaction.kinds import FILE_PREFIX, PREFIXES, Kind

LEAST_KEY_BYTES: Final = 16
# No vowels: no word comes out, and no word of a log looks like one. No 0, 1, l: they are misread.
LETTERS: Final = "23456789bcdfghjkmnpqrstvwxyz"
LENGTH: Final = 10
NAME: Final = re.compile(
    rf"(?:{'|'.join([*PREFIXES.values(), FILE_PREFIX])})-[{LETTERS}]{{{LENGTH + 1}}}"
)
UUID: Final = re.compile(
    r"(GPU|MIG)-([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})"
)
UUID_PROOF: Final = 4  # hexadecimal digits at its end
MARK_LENGTH: Final = 12
HASH_LENGTH, HASH_PROOF = 16, 3
# A longer ending of a file's name is a part of the name.
LONGEST_EXTENSION: Final = 5
LONG_EXTENSIONS: Final = frozenset({"parquet", "safetensors"})
REMEMBERED: Final = 1 << 14  # of each function; an agreement's names are fewer


class WeakKey(ValueError):
    """A key is too short to keep names apart from guesses."""


class Pseudonyms:
    """What stands for the values of one owner under the key of one agreement."""

    def __init__(self, key: bytes) -> None:
        if len(key) < LEAST_KEY_BYTES:
            raise WeakKey(f"a key of pseudonyms has at least {LEAST_KEY_BYTES} bytes")
        self._names_key = _derived(key, "names")
        self._proof_key = _derived(key, "proofs")
        self._mark_key = _derived(key, "marks")
        self._addresses = AddressPseudonyms(
            key_v4=_derived(key, "addresses of version 4"),
            key_v6=_derived(key, "addresses of version 6"),
        )
        self.identity = _derived(key, "identity")  # the same for those of one key
        self._remembered = lru_cache(REMEMBERED)(self._made)
        self._named = lru_cache(REMEMBERED)(self._name)

    def name(self, kind: Kind, value: str, /) -> str:
        """Return the name of a value. Spellings of one host, address or UUID have one name."""
        return self._named(kind, value)

    def file_name(self, value: str, /) -> str:
        """Return the name of a path's last part, which ends as the part does."""
        stem, dot, extension = value.rpartition(".")
        if not stem or not _is_extension(extension):
            stem, dot, extension = value, "", ""
        return self._remembered(Kind.PATH, stem.casefold(), FILE_PREFIX) + dot + extension

    def uuid(self, value: str, /) -> str:
        """Return a UUID that stands for a GPU's: what reads lines knows it by its shape."""
        prefix, digits = value[:3].upper(), value[4:].replace("-", "").lower()
        made = self._digits(Kind.GPU, digits, 32 - UUID_PROOF)
        made += self._proof(made)[:UUID_PROOF]
        return "-".join((prefix, made[:8], made[8:12], made[12:16], made[16:20], made[20:]))

    def communicator(self, value: str, /) -> str:
        """Return a hash that stands for a communicator's, as hexadecimal digits."""
        made = self._digits(Kind.COMMUNICATOR, value.lower().lstrip("0"), HASH_LENGTH - HASH_PROOF)
        return made + self._proof(made)[:HASH_PROOF]

    def address(self, value: str, /) -> str:
        """Return what stands for an IP address; what is no address, or nobody's, stays."""
        try:
            address = ip_address(value)
        except ValueError:
            return value
        if is_of_nobody(address=address):
            return value
        return self._remembered(Kind.ADDRESS, address.compressed, "")

    def mark(self, text: str, /) -> str:
        """Return what tells one text from another, twelve hexadecimal digits.

        Who has no key can't find the text by trying what it may be, as with a bare digest.
        """
        return _digest(self._mark_key, text).hex()[:MARK_LENGTH]

    def address_of(self, name: str, /) -> str | None:
        """Return the address that a name of this key stands for."""
        found = self._addresses.address_of(name)
        return found.compressed if found else None

    def is_own(self, name: str, /) -> bool:
        """Say whether this key made a name; of what it did not, one in 28 passes for its own."""
        if NAME.fullmatch(name):
            return self._letters(self._proof_key, name[:-1], 1) == name[-1]
        if found := UUID.fullmatch(name):
            digits = "".join(found.groups()[1:])
            return self._proof(digits[:-UUID_PROOF])[:UUID_PROOF] == digits[-UUID_PROOF:]
        return self._is_own_hash(name)

    def _is_own_hash(self, digits: str) -> bool:
        made = digits[:-HASH_PROOF]
        return len(digits) == HASH_LENGTH and self._proof(made)[:HASH_PROOF] == digits[-HASH_PROOF:]

    def _name(self, kind: Kind, value: str) -> str:
        return self._remembered(kind, normalised(kind, value), PREFIXES.get(kind, kind.value))

    def _made(self, kind: Kind, value: str, prefix: str) -> str:
        if kind is Kind.ADDRESS:
            return self._addresses.name(ip_address(value))
        name = f"{prefix}-{self._letters(self._names_key, _message(kind, value), LENGTH)}"
        return name + self._letters(self._proof_key, name, 1)

    def _letters(self, key: bytes, message: str, count: int) -> str:
        number = int.from_bytes(_digest(key, message))
        letters = []
        for _ in range(count):
            number, letter = divmod(number, len(LETTERS))
            letters.append(LETTERS[letter])
        return "".join(letters)

    def _digits(self, kind: Kind, value: str, count: int) -> str:
        return _digest(self._names_key, _message(kind, value)).hex()[:count]

    def _proof(self, made: str) -> str:
        return _digest(self._proof_key, made).hex()


def normalised(kind: Kind, value: str, /) -> str:
    """Return how a value is written where it has several spellings: hosts by their short names."""
    text = value.strip().casefold()
    if kind is Kind.HOST:
        text = text.strip(".")
        return text if is_address(text) else text.partition(".")[0]
    if kind is Kind.HARDWARE:
        return text.removeprefix("0x").replace("-", ":")
    return text


def _message(kind: Kind, value: str) -> str:
    return f"{kind}\0{value}"


def _derived(key: bytes, purpose: str) -> bytes:
    return _digest(key, f"faultline pseudonyms: {purpose}")[:KEY_BYTES]


def _digest(key: bytes, message: str) -> bytes:
    return hmac.digest(key, message.encode("utf-8", "surrogatepass"), "sha256")


def _is_extension(text: str) -> bool:
    is_short = 0 < len(text) <= LONGEST_EXTENSION and text.isascii() and text.isalnum()
    return (is_short and not text.isdigit()) or text.lower() in LONG_EXTENSIONS


def is_address(text: str) -> bool:
    """Say whether a text is an IP address."""
    if not (text[:1].isdigit() or ":" in text):
        return False
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def in_no_order(former: Sequence[Any], shown: list[Any]) -> list[Any]:
    """Return names that were replaced in the order of what stands for them.

    In the order of the names themselves one that is known would give away its neighbours.
    """
    are_words = all(isinstance(each, str) for each in shown)
    return sorted(shown) if are_words and shown != list(former) else shown
