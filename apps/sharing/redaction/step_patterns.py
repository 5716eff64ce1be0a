"""What steps look for, and whether any of them would find something: in most texts none does."""

from functools import cache
from typing import Final

from apps.diagnosis.patterns import Pattern, PatternUnion

SOURCES: Final[list[str]] = []  # of all patterns, as the steps are imported
LONGEST_ASKED: Final = 400  # bytes; in what is longer there is something nearly always
# All patterns in one remember more states than each of them; what few texts need is never filled.
MEMORY_BYTES: Final = 16 << 20


class StepPattern(Pattern):
    """A pattern that a step looks for."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        SOURCES.append(source)


def may_find(data: bytes) -> bool:
    """Say whether the pattern of any step finds something; of a long text, that it may."""
    return len(data) > LONGEST_ASKED or _union().finds(data)


@cache
def _union() -> PatternUnion:
    return PatternUnion(tuple(SOURCES), memory_bytes=MEMORY_BYTES)
