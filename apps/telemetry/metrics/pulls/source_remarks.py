"""What is worth knowing of a source that answers: in words for whoever connected it."""

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Final

from apps.diagnosis.detection.metrics.frames import Grid
from apps.telemetry.metrics.pulls import signal_reading

EMPTY: Final = "it answers, but serves none of the metrics that Faultline knows"
HAS_NOTHING: Final = "it answers, but has had no samples within the last hour"
# The `Date` header has whole seconds, an answer takes its time.
WRONG_SECONDS: Final = 10.0
MOST_NAMES: Final = 5
LENGTH: Final = 300


def kept(text: str) -> str:
    """Return a remark as far as it can be stored: servers put anything into their words."""
    return text.replace("\0", "")[:LENGTH]


def is_wrong(*, ahead: float) -> bool:
    """Say whether a server's clock is too far from ours to be an answer's delay."""
    return abs(ahead) > WRONG_SECONDS


def of_clock(*, ahead: float) -> str:
    """Return what is wrong with a server's clock."""
    return f"its clock is {_span(abs(ahead))} {'ahead of' if ahead > 0 else 'behind'} ours"


def of_nothing(*, served: Collection[str], asked: Grid | None) -> str:
    """Return why a server that answers is of no use: names that had samples, the span asked for."""
    if not served:
        return HAS_NOTHING
    if asked is None or not asked.count or not _is_known(served):
        return EMPTY
    start, end = (datetime.fromtimestamp(at, UTC) for at in (asked.start, asked.end))
    return (
        "it has served metrics that Faultline knows within the last hour, but no samples of them "
        f"between {start:%Y-%m-%d %H:%M:%S} and {end:%H:%M:%S} UTC: look whether it still scrapes"
    )


def of_reading(*, taken: signal_reading.SignalReading) -> list[str]:
    """Return what could not be had, by name."""
    parts = []
    if taken.refused:
        parts.append("refused: " + _some(taken.refused))
    if taken.warning:
        parts.append("partial: " + taken.warning)
    if taken.left_out:
        parts.append("left out by its limits: " + _some(taken.left_out))
    return parts


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


def _is_known(names: Collection[str]) -> bool:
    return any(signal_reading.served(signals=signal_reading.watched(), names=frozenset(names)))
