"""Where a request comes from, before the framework made one of it."""

import ipaddress
from collections.abc import Mapping
from typing import Any


def address_of(scope: Mapping[str, Any], *, behind_proxy: bool) -> str:
    """Return the sender's address; behind a proxy the last that the proxy wrote."""
    peer = str((scope.get("client") or ("",))[0])
    if not behind_proxy:
        return peer
    values = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    told = values[-1].decode("latin1").rpartition(",")[2].strip() if values else ""
    return told if _is_address(told) else peer


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True
