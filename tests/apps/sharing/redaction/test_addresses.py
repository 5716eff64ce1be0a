"""Addresses that share a prefix go on sharing one, of the same length and no longer."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sharing.redaction.addresses import AddressCipher
from tests.apps.sharing.redaction.owner import OTHERS, PSEUDONYMS, read

# Of the sample that came with the first implementation.
KEY = bytes.fromhex("152217 8d33a4cf80 130a5b16 49907d10 d8988f83 79796527 62574c2d 2a842202")
TEXT_KEY = b"32-char-str-for-AES-key-and-pad."


@pytest.mark.parametrize(
    ("key", "address", "hidden"),
    [
        (KEY, "128.11.68.132", "135.242.180.132"),
        (KEY, "129.118.74.4", "134.136.186.123"),
        (TEXT_KEY, "192.0.2.1", "192.0.125.244"),
        (TEXT_KEY, "2001:db8::1", "27fe:8bc7:fee:1e:1e1f:f0fe:f0e1:83fd"),
    ],
)
def test_the_permutation_is_the_published_one(key: bytes, address: str, hidden: str) -> None:
    given_one = ip_address(address)
    cipher = AddressCipher(key=key, bits=given_one.max_prefixlen)
    assert cipher.hide(int(given_one)) == int(ip_address(hidden))
    assert cipher.reveal(int(ip_address(hidden))) == int(given_one)


def shared_bits(one: int, other: int, bits: int) -> int:
    return bits - (one ^ other).bit_length()


def number(name: str) -> int:
    """Return a pseudonym as the number that its parts are."""
    above, base, sign = (1 << 8, 10, ".") if "." in name else (1 << 16, 16, ":")
    total = 0
    for part in name.split(sign):
        total = total * above + int(part, base) - above
    return total


def near(bits: int) -> st.SearchStrategy[tuple[int, int]]:
    """Return pairs of addresses that share a prefix of any length."""
    whole = st.integers(0, (1 << bits) - 1)
    return st.tuples(whole, st.integers(0, bits), whole).map(
        lambda told: (told[0], told[0] ^ (told[2] >> min(told[1], bits)))
    )


@given(near(32))
def test_prefixes_of_version_4_are_preserved(pair: tuple[int, int]) -> None:
    one, other = (PSEUDONYMS.address(str(IPv4Address(each))) for each in pair)
    if any(_is_kept(str(IPv4Address(each))) for each in pair):
        return
    assert shared_bits(number(one), number(other), 32) == shared_bits(*pair, 32)


@given(near(128))
def test_prefixes_of_version_6_are_preserved(pair: tuple[int, int]) -> None:
    addresses = [IPv6Address(each) for each in pair]
    if any(_is_kept(str(each)) or each.ipv4_mapped for each in addresses):
        return
    one, other = (PSEUDONYMS.address(str(each)) for each in addresses)
    assert shared_bits(number(one), number(other), 128) == shared_bits(*pair, 128)


def _is_kept(address: str) -> bool:
    return PSEUDONYMS.address(address) == address


@given(st.ip_addresses())
def test_no_pseudonym_is_an_address_and_each_leads_back(address: IPv4Address | IPv6Address) -> None:
    text = str(address)
    if _is_kept(text) or (address.version == 6 and address.ipv4_mapped):
        return
    name = PSEUDONYMS.address(text)
    with pytest.raises(ValueError, match="does not appear"):
        ip_address(name)
    assert PSEUDONYMS.address_of(name) == text
    assert OTHERS.address_of(name) != text


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0", "::", "::1", "255.255.255.0"])  # noqa: S104
def test_addresses_of_every_machine_stay(address: str) -> None:
    assert PSEUDONYMS.address(address) == address


def test_an_address_is_the_same_however_it_is_written() -> None:
    mapped = read("peer ::ffff:10.1.2.3<5000>")
    assert mapped == f"peer ::ffff:{PSEUDONYMS.address('10.1.2.3')}<5000>"
    assert PSEUDONYMS.address("FE80::1") == PSEUDONYMS.address("fe80:0:0:0:0:0:0:1")
    assert PSEUDONYMS.address("no address") == "no address"
    assert PSEUDONYMS.address_of("256.256.256") is None
    assert PSEUDONYMS.address_of("10.1.2.3") is None


@pytest.mark.parametrize(
    "line",
    [
        "NCCL version 2.19.3.1, driver version: 535.129.03.1",
        "step took 12:30:45 at 2026-11-20 03:14:07",
        "NVRM: Xid (PCI:0000:18:00): 79",
        "std::vector<int>::size and a::b::c",
    ],
)
def test_versions_times_and_slots_are_no_addresses(line: str) -> None:
    assert read(line) == line


@pytest.mark.parametrize(
    "word", ["server", "to receiver", "Server:", "resolver", "mlx_driver_server"]
)
def test_an_address_behind_a_word_that_ends_as_version_does_is_hidden(word: str) -> None:
    line = f"{word} 10.20.30.40 not responding"
    assert read(line) == f"{word} {PSEUDONYMS.address('10.20.30.40')} not responding"


def test_an_address_whose_parts_are_filled_up_is_one() -> None:
    assert read("from 010.001.002.003 closed") == read("from 10.1.2.3 closed") != ""
    assert "001" not in read("from 010.001.002.003 closed")


def test_what_infiniband_and_ethernet_call_a_port_is_hidden() -> None:
    line = "port_guid 0x506b4b0300cd1234 LID 17 mac aa:bb:cc:dd:ee:ff node 506b:4b03:00cd:1234"
    told = read(line.replace("node ", "node_guid="))
    for secret in ("506b", "LID 17", "aa:bb"):
        assert secret not in told
    assert told.count("hw-") == 4
