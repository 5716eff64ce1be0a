"""PCI addresses of five spellings → `dddd:bb:dd.f`, lower case."""

import re

LONG = re.compile(r"([0-9a-f]{1,8}):([0-9a-f]{2}):([0-9a-f]{2})(?:\.([0-9a-f]))?$")
SHORT = re.compile(r"([0-9a-f]{2}):([0-9a-f]{2})\.([0-9a-f])$")
BARE = re.compile(r"[0-9a-f]{4,9}$")


def normalised(*, address: str) -> str:
    """Return the address of a function; the domain is cut to four digits, a missing function is 0.

    NCCL prints bare hex without separators: `c1000` is bus c1, device 00, function 0. Text that is
    no
    address comes back in lower case.
    """
    text = address.strip().lower().removeprefix("pci:")
    if match := LONG.match(text):
        domain, bus, device, function = match.groups()
        return f"{domain[-4:].zfill(4)}:{bus}:{device}.{function or '0'}"
    if match := SHORT.match(text):
        return f"0000:{match[1]}:{match[2]}.{match[3]}"
    if BARE.match(text):
        digits = text.zfill(9)
        return f"{digits[:4]}:{digits[4:6]}:{digits[6:8]}.{digits[8]}"
    return text
