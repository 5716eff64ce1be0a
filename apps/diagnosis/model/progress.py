"""What lines of progress say of a run, as numbers: one point a step, a save or a load."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class PointKind(StrEnum):
    """What a point of a run is."""

    STEP = "step"
    SAVE_BEGINS = "save-begins"
    SAVE_ENDS = "save-ends"
    LOAD_BEGINS = "load-begins"
    LOAD_ENDS = "load-ends"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressPoint:
    """One line of progress. None: the line doesn't say it."""

    kind: PointKind
    number: int  # 1-based line number in the source
    at: datetime | None = None  # aware UTC; as printed, taken for UTC, where `is_local`
    is_local: bool = False
    rank: int | None = None
    step: int | None = None
    seconds: float | None = None  # a step took, or a save or load, as the line tells it
    loss: float | None = None
    tokens_per_second: float | None = None
    tflops: float | None = None  # a GPU
    mfu: float | None = None  # percent
    batch: int | None = None  # samples a step
