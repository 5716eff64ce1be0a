"""IP addresses → others that share exactly the prefixes that the first ones share (Crypto-PAn)."""

from ipaddress import IPv4Address, IPv6Address
from typing import Final, TypeAlias

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB

Address: TypeAlias = IPv4Address | IPv6Address

KEY_BYTES: Final = 32  # one half encrypts, the other becomes the padding
BLOCK_BITS: Final = 128
BLOCK_BYTES: Final = BLOCK_BITS // 8
# Each part of a pseudonym lies above those of all addresses: nobody takes one for a machine.
ABOVE_V4, ABOVE_V6 = 1 << 8, 1 << 16


class AddressCipher:
    """The permutation of Xu, Fan, Ammar and Moon (2002) over addresses of one length."""

    def __init__(self, *, key: bytes, bits: int) -> None:
        # Each block is one call of the function that the scheme is built from: nothing is chained.
        self._cipher = Cipher(AES(key[:BLOCK_BYTES]), ECB())  # noqa: S305
        self._bits = bits
        self._pad = int.from_bytes(self._encrypt(key[BLOCK_BYTES:]))

    def hide(self, number: int) -> int:
        """Return the address that stands for this one."""
        blocks = b"".join(self._block(number, length) for length in range(self._bits))
        first_bytes = self._encrypt(blocks)[::BLOCK_BYTES]
        flips = 0
        for each in first_bytes:
            flips = flips << 1 | each >> 7
        return number ^ flips

    def reveal(self, number: int) -> int:
        """Return the address that this one stands for."""
        known = 0
        for length in range(self._bits):
            flip = self._encrypt(self._block(known, length))[0] >> 7
            known |= (number >> (self._bits - 1 - length) & 1 ^ flip) << (self._bits - 1 - length)
        return known

    def _block(self, number: int, length: int) -> bytes:
        """Return that many bits of an address, and behind them the padding's."""
        rest = BLOCK_BITS - length
        top = number << (BLOCK_BITS - self._bits) >> rest << rest
        return (top | self._pad & (1 << rest) - 1).to_bytes(BLOCK_BYTES)

    def _encrypt(self, blocks: bytes) -> bytes:
        return self._cipher.encryptor().update(blocks)


class AddressPseudonyms:
    """Pseudonyms of both versions under one key."""

    def __init__(self, *, key_v4: bytes, key_v6: bytes) -> None:
        self._v4 = AddressCipher(key=key_v4, bits=32)
        self._v6 = AddressCipher(key=key_v6, bits=128)

    def name(self, address: Address) -> str:
        """Return what stands for an address."""
        if isinstance(address, IPv4Address):
            return _v4_text(self._v4.hide(int(address)))
        if address.ipv4_mapped:
            return f"::ffff:{self.name(address.ipv4_mapped)}"
        return _v6_text(self._v6.hide(int(address)))

    def address_of(self, name: str) -> Address | None:
        """Return the address that a pseudonym stands for, None for what is no pseudonym."""
        separator, above, base = (".", ABOVE_V4, 10) if "." in name else (":", ABOVE_V6, 16)
        try:
            parts = [int(part, base) - above for part in name.split(separator)]
        except ValueError:
            return None
        count = 4 if base == 10 else 8
        if len(parts) != count or not all(0 <= part < above for part in parts):
            return None
        number = 0
        for part in parts:
            number = number * above + part
        if base == 10:
            return IPv4Address(self._v4.reveal(number))
        return IPv6Address(self._v6.reveal(number))


def is_of_nobody(*, address: Address) -> bool:
    """Say whether an address is every machine's: its own, none, all, or a mask of bits."""
    if address.is_loopback or address.is_unspecified:
        return True
    return isinstance(address, IPv4Address) and address >= IPv4Address("255.0.0.0")


def _v4_text(number: int) -> str:
    return ".".join(str(ABOVE_V4 + part) for part in number.to_bytes(4))


def _v6_text(number: int) -> str:
    data = number.to_bytes(16)
    groups = (int.from_bytes(data[at : at + 2]) for at in range(0, 16, 2))
    return ":".join(f"{ABOVE_V6 + group:x}" for group in groups)
