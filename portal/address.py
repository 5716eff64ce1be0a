"""Where `manage.py up` listens and answers, also for commands in other terminals."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USUAL_PORT = 8000
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  compared, not bound


def bound() -> tuple[str, int | None]:
    """Return what PORTAL_BIND says: the host, and the port where it names one."""
    text = os.environ.get("PORTAL_BIND", "").strip() or "127.0.0.1"
    host, _, port = text.rpartition(":")
    if port.isdigit() and (":" not in host or host.startswith("[")):
        return host.strip("[]") or "127.0.0.1", int(port)
    return text.strip("[]"), None


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
