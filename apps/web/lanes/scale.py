"""The plot of a timeline, and where on it an instant stands."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils import dateformat
from django.utils.translation import pgettext

WIDTH = 952
LEFT = 136  # where the plot begins: lane heads stand before it
RIGHT = 936
HEAD_HEIGHT = 40
TAG_REACH = 72  # half the cursor's tag and half a tick's text
TICK_COUNT = 8
STEPS = tuple(
    timedelta(seconds=seconds)
    for seconds in (
        1,
        2,
        5,
        10,
        15,
        30,
        60,
        120,
        300,
        600,
        900,
        1800,
        3600,
        7200,
        21600,
        43200,
        86400,
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open stretch of time that the plot shows, from `left` to `right`."""

    starts_at: datetime
    ends_at: datetime
    left: int = LEFT
    right: int = RIGHT

    def x(self, at: datetime) -> float:
        """Return the horizontal position of an instant, clipped to the plot."""
        if at <= self.starts_at:
            return float(self.left)
        if at >= self.ends_at:
            return float(self.right)
        share = (at - self.starts_at) / (self.ends_at - self.starts_at)
        return round(self.left + share * (self.right - self.left), 1)

    def holds(self, *, starts_at: datetime, ends_at: datetime | None) -> bool:
        """Say whether any of a stretch falls into the span."""
        return starts_at < self.ends_at and (ends_at or starts_at) >= self.starts_at


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisTick:
    """One labelled instant of the axis."""

    x: float
    utc: str
    local: str


def clock_text(at: datetime, *, zone: ZoneInfo | None = None, seconds: bool = False) -> str:
    """Return the time of day as people read it."""
    return at.astimezone(zone or UTC).strftime("%H:%M:%S" if seconds else "%H:%M")


def day_text(at: datetime) -> str:
    """Return the day of an instant in UTC: 22 Nov."""
    return dateformat.format(at.astimezone(UTC), pgettext("date format", "j M"))


def days_text(span: Span) -> str:
    """Return the day that a stretch lies in, or its first and last."""
    first, last = day_text(span.starts_at), day_text(span.ends_at)
    return first if first == last else f"{first} – {last}"  # noqa: RUF001  a span


def ticks(
    *, span: Span, zone: ZoneInfo | None, free_of: float | None = None
) -> tuple[AxisTick, ...]:
    """Return round instants, at most eight, with both clocks; none within reach of the cursor.

    The first one of another day is written with its day.
    """
    length = span.ends_at - span.starts_at
    days = timedelta(days=-(-length // timedelta(days=TICK_COUNT)))
    step = next((step for step in STEPS if length / step <= TICK_COUNT), days)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    at = epoch + step * -(-(span.starts_at - epoch) // step)
    found: list[AxisTick] = []
    day = span.starts_at.astimezone(UTC).date()
    while at < span.ends_at:
        seconds = step < timedelta(minutes=1)
        local = clock_text(at, zone=zone, seconds=seconds) if zone else ""
        clock = clock_text(at, seconds=seconds)
        utc = clock if at.date() == day else f"{day_text(at)} {clock}"
        found.append(AxisTick(x=span.x(at), utc=utc, local=local))
        day = at.date()
        at += step
    shown = [tick for tick in found if span.left + 16 < tick.x < span.right - 12]
    return tuple(tick for tick in shown if free_of is None or abs(tick.x - free_of) > TAG_REACH)
