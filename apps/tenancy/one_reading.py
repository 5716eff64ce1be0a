"""What one answer reads once, however many of its parts ask for it.

For what answers one request and writes nothing that it reads: the next one reads anew. A key names
all that an answer depends on, and for whom it is read.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Read = TypeVar("Read")
_READ: ContextVar[dict[Hashable, Any] | None] = ContextVar("one_reading", default=None)


@contextmanager
def one_reading() -> Iterator[None]:
    """Keep what `read_once` reads until the block ends."""
    token = _READ.set({})
    try:
        yield
    finally:
        _READ.reset(token)


def read_once(key: Hashable, read: Callable[[], Read]) -> Read:
    """Return what was read of a key in this reading, or read it; outside of one always read it.

    What refuses by raising is asked again each time.
    """
    kept = _READ.get()
    if kept is None:
        return read()
    if key not in kept:
        kept[key] = read()
    found: Read = kept[key]
    return found
