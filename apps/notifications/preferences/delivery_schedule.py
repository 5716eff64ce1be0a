"""When somebody is told: at once, once an hour, once a day, and not in quiet hours."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from apps.notifications.notification_kinds import Rhythm

DAILY_AT = time(8, 0)
UTC_ZONE = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverySchedule:
    """When a person wants to be written to, by the wall clock of the person's zone."""

    rhythm: Rhythm = Rhythm.AT_ONCE
    zone: ZoneInfo = UTC_ZONE
    quiet_from: time | None = None
    quiet_until: time | None = None


def due_at(*, pace: DeliverySchedule, wakes: bool, now: datetime) -> datetime:
    """Return when something that happens now is sent. What `wakes` knows no quiet hours."""
    at = _by_rhythm(pace, now)
    return at if wakes else after_quiet(pace=pace, at=at)


def _by_rhythm(pace: DeliverySchedule, now: datetime) -> datetime:
    if pace.rhythm == Rhythm.HOURLY:
        return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    if pace.rhythm == Rhythm.DAILY:
        return _next(DAILY_AT, pace.zone, now)
    return now


def after_quiet(*, pace: DeliverySchedule, at: datetime) -> datetime:
    """Return when the quiet hours are over that an instant lies in; else the instant itself."""
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
        for at in _instants(datetime.combine(day + timedelta(days=days), clock), zone):
            if at > after:
                return at
    return after


def _instants(shown: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
    """Return when a zone's clock shows this: once or twice, or as it jumps over it."""
    first, second = (shown.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    # Where it goes forward the two readings lie on either side of the jump.
    return (first, second) if first <= second else (_jump(zone, second, first),)


def _jump(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """Return the second at which the zone's clock jumps between two instants."""
    offset = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + (after - before) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after.replace(microsecond=0)
