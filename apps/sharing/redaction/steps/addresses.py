"""IP addresses, MAC addresses, and what InfiniBand calls its ports."""
# ruff: noqa: E501  patterns stay whole

import re
from ipaddress import ip_address
from typing import Final

from apps.sharing.redaction.draft import CLOSE, Groups
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import Kind
from apps.sharing.redaction.step_patterns import StepPattern

V4: Final = StepPattern(r"(^|[^\w.])((?:\d{1,3}\.){3}\d{1,3})\b")
# Behind a mark nothing begins: what is hidden again finds no more than the first time.
V6: Final = StepPattern(
    rf"(^|[^\w:.{CLOSE}])((?:[0-9A-Fa-f]{{0,4}}:){{2,7}}(?:(?:\d{{1,3}}\.){{3}}\d{{1,3}}|[0-9A-Fa-f]{{0,4}}))"
)
# Numbers of four parts behind these are no addresses.
VERSION: Final = re.compile(
    rb"(?i)(?<![a-z])(?:version|driver|release|firmware|fw|ver|v|ofed)[ :=\"'-]{0,3}$"
)
MAC: Final = StepPattern(r"(^|[^\w:-])((?:[0-9A-Fa-f]{2}[:-]){5,19}[0-9A-Fa-f]{2})\b")
GUID: Final = StepPattern(
    r"((?i:\b(?:\w*guid|S-|H-|SW-)[\"']?[ \t]*[=:]?[ \t]*))((?:0x)?[0-9A-Fa-f]{16}|[0-9A-Fa-f]{4}(?::[0-9A-Fa-f]{4}){3})\b"
)
LID: Final = StepPattern(
    r"((?i:\b(?:base |sm |remote |local |[sdm])?lid[ \t]*[=:#]?[ \t]*))(0x[0-9A-Fa-f]{1,4}|\d{1,5})\b"
)
FILLED: Final = re.compile(r"(?<!\d)0+(?=\d)")
LOOKED_BACK: Final = 16


def hide_addresses(hiding: Hiding) -> None:
    """Hide addresses: those that share a prefix go on sharing one."""
    if hiding.profile.hides(Kind.HARDWARE):
        for pattern, needs in (
            (MAC, (b":", b"-")),
            (GUID, (b"guid", b"s-", b"h-", b"sw-")),
            (LID, (b"lid",)),
        ):
            hiding.draft.replace(pattern, lambda found: _hardware(hiding, found), *needs)
    if hiding.profile.hides(Kind.ADDRESS):
        hiding.draft.replace(V6, lambda found: _address(hiding, found), b":")
        hiding.draft.replace(V4, lambda found: _address(hiding, found), b".")


def _hardware(hiding: Hiding, found: Groups) -> bytes | None:
    mark = hiding.mark(Kind.HARDWARE, found[2])
    return None if mark is None else found[1] + mark


def _address(hiding: Hiding, found: Groups) -> bytes | None:
    text = found[2].decode()
    if not text.endswith("::"):
        text = text.rstrip(":")  # of the sentence
    try:
        # Some programs fill parts up: `010.001.002.003`.
        address = ip_address(FILLED.sub("", text) if ":" not in text else text)
    except ValueError:
        return None
    if VERSION.search(found.before(LOOKED_BACK)) or found.after(1).isalnum():
        return None
    mark = hiding.made(Kind.ADDRESS, text.encode(), hiding.pseudonyms.address(str(address)))
    return None if mark is None or address.is_loopback else found[1] + mark + found[2][len(text) :]
