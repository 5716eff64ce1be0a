"""What a signature means for the reasoning, beside its role: a closed set."""

from enum import StrEnum


class Mark(StrEnum):
    """What stands in `marks` of a signature's block; docs/extending.md says each in one line."""

    STEP = "step"
