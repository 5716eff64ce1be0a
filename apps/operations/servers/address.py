"""Where `manage.py up` listens and answers, also for commands in other terminals."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.spelling import shown

USUAL_PORT = 8000
MOST_PORTS = 65535
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]{0,252}[A-Za-z0-9])?", re.ASCII)
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  compared, not bound


def bound() -> tuple[str, int | None]:
    """Return what PORTAL_BIND says: the host, and the port where it names one.

    Raises ImproperlyConfigured.
    """
    text = os.environ.get("PORTAL_BIND", "").strip() or "127.0.0.1"
    host, colon, digits = text.rpartition(":")
    if not colon or (":" in host and not host.endswith("]")):
        host, colon, digits = text, "", ""
    port = whole_number(digits, most=MOST_PORTS) if colon else None
    name = (host[1:-1] if host.startswith("[") and host.endswith("]") else host) or "127.0.0.1"
    if not _is_host(name) or (colon and not port):
        raise ImproperlyConfigured(
            f"PORTAL_BIND={shown(word=text)!r} is no address like 127.0.0.1:8000, [::1]:8000 or "
            f"0.0.0.0, with a port from 1 to {MOST_PORTS} or none"
        )
    return name, port


def _is_host(name: str) -> bool:
    """Say whether it is an address of the machine, or may be a name of one."""
    try:
        return bool(ip_address(name))
    except ValueError:
        return bool(NAME.fullmatch(name)) and not name.replace(".", "").isdigit()


def near(host: str) -> str:
    """Return where this machine reaches a server that listens on a host."""
    return EVERYWHERE.get(host, host)


def usual(*, port: int | None = None) -> str:
    """Return the address of a portal that is told none: what it binds, as a browser here asks."""
    host, named = bound()
    host = near(host)
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{named or port or USUAL_PORT}"


def kept(*, var: Path) -> str:
    """Return the address of the portal that runs on this directory, empty without one."""
    try:
        return _path(var).read_text(encoding="utf-8").strip()
    except OSError:
        return ""


@contextmanager
def told(*, var: Path, base_url: str) -> Iterator[None]:
    """Keep the address there while the block runs: for the holder of the lock on `var` alone."""
    new = _path(var).with_suffix(".new")
    new.write_text(f"{base_url}\n", encoding="utf-8")
    new.replace(_path(var))  # nobody reads half an address
    try:
        yield
    finally:
        _path(var).unlink(missing_ok=True)


def _path(var: Path) -> Path:
    return var / "address"
