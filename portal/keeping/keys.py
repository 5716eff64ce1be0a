"""The keys of an installation, in a backup only where that was asked for."""

import hashlib
import hmac
import os
from collections.abc import Sequence

from django.conf import settings


def mark_of(key: str) -> str:
    """Return what tells a key from others, and nothing else of it."""
    return hmac.new(key.encode(), b"faultline backup", hashlib.sha256).hexdigest()[:16]


def are_those(*, mark: str) -> bool:
    """Say whether one of the keys here is the one that a backup was made with."""
    return any(mark_of(key) == mark for key in settings.PORTAL_SECRET_KEYS)


def put_back(*, keys: Sequence[str]) -> bool:
    """Keep the keys of a backup, readable by this user alone, unless there are some already."""
    path = settings.PORTAL_VAR / "secret"
    is_given = "PORTAL_SECRET_KEYS" in os.environ or "PORTAL_SECRET_KEYS_FILE" in os.environ
    if is_given or path.exists():
        return False
    path.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write("\n".join(keys) + "\n")
    return True
