"""What somebody does over and over is written down now and then, with how often it was by then.

The record grows with the logarithm of what a stranger does: at the first time, the second, the
fourth, the eighth. Counts are kept in the cache and forgotten with their span.
"""

import hashlib
from typing import Final

from django.core.cache import cache

PREFIX: Final = "repeats"


def counted(*, what: str, seconds: int) -> int:
    """Count one more of the same, and return how many it is in a span that begins with the first.

    `what` may hold what a stranger typed: only its digest is kept.
    """
    key = f"{PREFIX}:{hashlib.sha256(what.encode(errors='replace')).hexdigest()[:32]}"
    if cache.add(key, 1, timeout=seconds):
        return 1
    try:
        return int(cache.incr(key))
    except ValueError:  # its span ended at this moment
        return 1


def is_noted(count: int) -> bool:
    """Whether this one is worth an entry."""
    return count & (count - 1) == 0


def told(count: int) -> str:
    """Return what stands as the subject of such an entry."""
    return f"times:{count}" if count > 1 else ""
