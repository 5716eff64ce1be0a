"""The keys of an installation, in a backup only where that was asked for."""

import hashlib
import hmac
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from apps.operations.backup.archive import sync_folder


def mark_of(key: str) -> str:
    """Return what tells a key from others, and nothing else of it."""
    return hmac.new(key.encode(), b"faultline backup", hashlib.sha256).hexdigest()[:16]


def are_those(*, mark: str) -> bool:
    """Say whether one of the keys here is the one that a backup was made with."""
    return any(mark_of(key) == mark for key in [*settings.PORTAL_SECRET_KEYS, *_kept()])


@contextmanager
def put_back(*, keys: Sequence[str]) -> Iterator[None]:
    """Keep the keys of a backup, readable by this user alone, unless there are some already.

    They are taken away again if the block fails.
    """
    path = _path()
    if not keys or _are_given() or path.exists():
        yield
        return
    path.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    # Whole in its place or not there: a file without keys would pass for those of this portal.
    half = path.with_name(".secret.restoring")
    half.unlink(missing_ok=True)
    try:
        _write(half, "\n".join(keys) + "\n")
        half.replace(path)
        sync_folder(path.parent)
        yield
    except BaseException:
        path.unlink(missing_ok=True)
        half.unlink(missing_ok=True)
        raise


def _write(path: Path, text: str) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _path() -> Path:
    return Path(settings.PORTAL_VAR) / "secret"


def _are_given() -> bool:
    return "PORTAL_SECRET_KEYS" in os.environ or "PORTAL_SECRET_KEYS_FILE" in os.environ


def _kept() -> list[str]:
    path = _path()
    return path.read_text().split() if path.is_file() and not _are_given() else []
