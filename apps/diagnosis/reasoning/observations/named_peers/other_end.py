"""Whom a line about a failed connection calls its other end, and what that end did."""

import re
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address

from apps.diagnosis.model import Event, Mark
from apps.diagnosis.observed import SILENT_PEER
from apps.diagnosis.signatures.marks import marked

SOCKETS, STORES = marked(Mark.PEER_SOCKET), marked(Mark.STORE_SOCKET)
# What is said of them names who is of the session, whether or not it ever spoke.
MEMBERS = STORES | marked(Mark.NAMES_MEMBER)
# A connection that ends so never got an answer; one that was closed or reset did.
UNANSWERED = re.compile(
    r"timed out|ETIMEDOUT|no route to host|unreachable|host is down|EHOST(?:UNREACH|DOWN)"
    r"|errno[ :=]{1,2}1(?:10|12|13)\b",
    re.IGNORECASE,
)
# The host that prints it has no way out itself.
NO_WAY_OUT = re.compile(
    r"network is (?:unreachable|down)|ENETUNREACH|errno[ :=]{1,2}10[01]\b", re.IGNORECASE
)
RESET = re.compile(r"reset by|closed by|broken pipe|errno[ :=]{1,2}104\b", re.IGNORECASE)
REFUSED = re.compile(
    r"refused|ECONNREFUSED|rejected the connection|errno[ :=]{1,2}111\b", re.IGNORECASE
)
# `to 10.0.0.7<4011>`, `remote=[10.0.0.7]:4011`, `dial tcp 10.0.0.7:4011`, `to host n7 port 22`.
# What stands before it may be a name before another one: all are looked at.
NAMED = re.compile(
    r"(?:\b(?:to|with|host|peer|recv from|socket at|connect|dial tcp|ECONNREFUSED|EHOSTUNREACH"
    r"|ETIMEDOUT) |\bremote=)\[?(?=(?P<peer>[\w.:%-]{1,253}))",
    re.ASCII | re.IGNORECASE,
)
PORT = re.compile(r"(?P<name>[^:]{1,253}):\d{1,5}", re.ASCII)


class OtherEnd(StrEnum):
    """What the other end of a connection did."""

    REFUSED = "refused"  # it is up: nothing listens there, or something rejects
    SILENT = "silent"  # it, or the way to it, is gone
    CLOSED = "closed"  # it was there, and its process is gone
    UNTOLD = "untold"


def what_it_did(event: Event) -> OtherEnd:
    """Return what a line says of the other end of its connection."""
    if event.fields.get("wc_status") in SILENT_PEER:
        return OtherEnd.SILENT
    if event.signature not in SOCKETS | STORES:
        return OtherEnd.UNTOLD
    if REFUSED.search(event.line.text):
        return OtherEnd.REFUSED
    if event.signature in STORES or UNANSWERED.search(event.line.text):
        return OtherEnd.SILENT
    return OtherEnd.CLOSED if RESET.search(event.line.text) else OtherEnd.UNTOLD


def has_no_way_out(event: Event) -> bool:
    """Say whether a line tells that its own host had no way to anybody."""
    return NO_WAY_OUT.search(event.line.text) is not None


def named_in(event: Event) -> list[str]:
    """Return the addresses and names that a line may give to the other end, addresses first."""
    said = event.fields.get("peer") or event.fields.get("addr") or ""
    if said:
        return [_plain(said)]
    if event.signature not in SOCKETS:
        return []
    found = [_plain(one["peer"]) for one in NAMED.finditer(event.line.text)]
    return sorted(found, key=lambda one: address_of(one) is None)


def is_loopback(said: str) -> bool:
    """Say whether an address or name is that of the host itself."""
    address = address_of(said)
    return said.startswith("localhost") or (address is not None and address.is_loopback)


def address_of(said: str) -> IPv4Address | IPv6Address | None:
    """Return the address that is said, None where it is a name."""
    try:
        found = ip_address(said.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _plain(said: str) -> str:
    """Return a name or address without brackets, port, and the IPv6 form of an IPv4 address."""
    bare = said.strip("[]").rstrip(".:-")
    with_port = PORT.fullmatch(bare)
    bare = with_port["name"] if with_port else bare
    address = address_of(bare)
    return str(address) if address is not None and "%" not in bare else bare
