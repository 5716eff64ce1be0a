"""An axis of time for drawings: where an instant stands, and the ticks below."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

MOST_TICKS: Final = 8
MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
STEPS: Final = (
    *(1, 2, 5, 10, 15, 30),
    *(MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE),
    *(HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR),
    *(DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 90 * DAY, 365 * DAY),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTick:
    """A line of the axis with what it says."""

    x: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAxis:
    """A span of time on a width in the drawing's units."""

    starts_at: datetime
    ends_at: datetime
    left: float
    right: float

    def x(self, at: datetime) -> float:
        """Return where an instant stands, at the edge where it lies outside."""
        length = (self.ends_at - self.starts_at).total_seconds()
        share = (at - self.starts_at).total_seconds() / length if length > 0 else 0.5
        return round(self.left + (self.right - self.left) * min(1.0, max(0.0, share)), 1)

    def ticks(self) -> tuple[TimeTick, ...]:
        """Return round instants, at most eight or so."""
        length = (self.ends_at - self.starts_at).total_seconds()
        step = next((each for each in STEPS if length / each <= MOST_TICKS), STEPS[-1])
        first = -(-self.starts_at.timestamp() // step) * step
        count = min(int((self.ends_at.timestamp() - first) // step) + 1, 2 * MOST_TICKS)
        instants = (
            datetime.fromtimestamp(first, UTC) + timedelta(seconds=step * each)
            for each in range(max(count, 0))
        )
        return tuple(TimeTick(x=self.x(each), text=_text(each, step)) for each in instants)


def _text(at: datetime, step: int) -> str:
    if step >= 90 * DAY:
        return f"{at:%b %Y}"
    if step >= DAY:
        return f"{at:%d %b}"
    return f"{at:%H:%M:%S}" if step < MINUTE else f"{at:%H:%M}"
