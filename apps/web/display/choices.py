"""Links of a segmented control."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentLink:
    """One link of a segmented control; the state lives in the address."""

    text: str
    query: str
    is_on: bool
