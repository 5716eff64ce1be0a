"""Where `manage.py up` answers, for commands in other terminals that are not told by a variable."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
