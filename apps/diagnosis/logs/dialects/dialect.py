"""What a line format tells: the shape that every block and every module of dialects fills in."""

from collections.abc import Callable
from dataclasses import dataclass

from apps.diagnosis.logs.timestamps import Stamp
from apps.diagnosis.model import Stream

# Where a collector's line has host and tag, a program's own may have these: no host is called so.
LEVELS = frozenset(
    {
        *("trace", "debug", "info", "notice", "warn", "warning", "error", "err"),
        *("crit", "critical", "fatal", "severe", "alert", "emerg"),
    }
)


def is_level(*words: str) -> bool:
    """Say whether one of these words is a level of logging."""
    return any(word.lower() in LEVELS for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Peel:
    """What one prefix said, and the text behind it."""

    rest: str
    stamp: Stamp | None = None
    uptime_seconds: float | None = None
    host: str | None = None
    rank: int | None = None  # global rank only
    local_rank: int | None = None
    pid: int | None = None
    gpu: int | None = None
    stream: Stream | None = None
    is_last: bool = False  # what follows only looks like another prefix


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One prefix grammar. Several may stand one behind the other in a line."""

    name: str
    starts: str  # first characters that such a prefix can have; empty means any
    peel: Callable[[str], Peel | None]
    order: int = 50  # the lower is tried first, where several fit a first character
    is_envelope: bool = False  # written by a collector: its time is when the line was written
    is_blind: bool = False  # fits a text or not whatever its digits are
