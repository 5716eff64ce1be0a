"""When somebody is told: at once, once an hour, once a day, and not in quiet hours."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from apps.notices.kinds import Rhythm

DAILY_AT = time(8, 0)
UTC_ZONE = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """When a person wants to be written to, by the wall clock of the person's zone."""

    rhythm: Rhythm = Rhythm.AT_ONCE
    zone: ZoneInfo = UTC_ZONE
    quiet_from: time | None = None
    quiet_until: time | None = None


def due_at(*, pace: Pace, wakes: bool, now: datetime) -> datetime:
    """Return when something that happens now is sent. What `wakes` knows no quiet hours."""
    at = _by_rhythm(pace, now)
    return at if wakes else _after_quiet(pace, at)


def _by_rhythm(pace: Pace, now: datetime) -> datetime:
    if pace.rhythm == Rhythm.HOURLY:
        return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    if pace.rhythm == Rhythm.DAILY:
        return _next(DAILY_AT, pace.zone, now)
    return now


def _after_quiet(pace: Pace, at: datetime) -> datetime:
    begins, ends = pace.quiet_from, pace.quiet_until
    if begins is None or ends is None or begins == ends:
        return at
    clock = at.astimezone(pace.zone).time()
    # 22:00 to 07:00 goes over midnight.
    is_over_midnight = begins > ends
    is_quiet = clock >= begins or clock < ends if is_over_midnight else begins <= clock < ends
    return _next(ends, pace.zone, at) if is_quiet else at


def _next(clock: time, zone: ZoneInfo, after: datetime) -> datetime:
    """Return the next instant at which the zone's clock shows this, also across its changes."""
    day = after.astimezone(zone).date()
    for days in range(3):
        shown = datetime.combine(day + timedelta(days=days), clock, tzinfo=zone)
        # Where clocks go back an hour is shown twice.
        for at in (shown.astimezone(UTC), shown.replace(fold=1).astimezone(UTC)):
            if at > after:
                return at
    return after
