"""Printed time → instant. Never invents a zone or a year."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from apps.diagnosis.input_values import EARLIEST, LATEST, in_bounds
from apps.diagnosis.model import Origin

MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), 1
    )
}
# Eight groups: year month day hour minute second fraction offset.
ISO = r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A stamp may lie ahead of its receipt by a wrong clock and the widest zone, not by more.
AHEAD = timedelta(days=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A time as printed. `year` and `offset_seconds` are None where the line has none."""

    month: int
    day: int
    hour: int
    minute: int
    second: int
    microsecond: int = 0
    year: int | None = None
    offset_seconds: int | None = None


def instant(*, stamp: Stamp | None, origin: Origin) -> tuple[datetime | None, datetime | None]:
    """Return (aware UTC, naive local): at most one is set, none for a time that can't be."""
    naive = _naive(stamp=stamp, origin=origin)
    if stamp is None or naive is None:
        return None, None
    zone = _zone(stamp=stamp, origin=origin)
    if zone is None:
        return None, naive
    try:
        return in_bounds(naive.replace(tzinfo=zone)), None
    except ValueError:
        return None, None


def _zone(*, stamp: Stamp, origin: Origin) -> tzinfo | None:
    if stamp.offset_seconds is not None:
        try:
            return timezone(timedelta(seconds=stamp.offset_seconds))
        except ValueError:
            return None
    return zone_named(name=origin.zone) if origin.zone else None


@lru_cache(maxsize=512)
def zone_named(*, name: str) -> tzinfo | None:
    """Return the zone of an IANA name, None for a name nobody knows."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _naive(*, stamp: Stamp | None, origin: Origin) -> datetime | None:
    if stamp is None:
        return None
    if stamp.year is not None:
        # What is years beyond every log is a number that only looks like a time.
        is_near = EARLIEST.year <= stamp.year < LATEST.year
        return _build(stamp=stamp, year=stamp.year) if is_near else None
    if origin.received_at is None:
        return None
    latest = origin.received_at.replace(tzinfo=None) + AHEAD
    years = (latest.year, latest.year - 1)  # a line of December can arrive in January
    candidates = (_build(stamp=stamp, year=year) for year in years)
    return next((at for at in candidates if at is not None and at <= latest), None)


def _build(*, stamp: Stamp, year: int) -> datetime | None:
    try:
        return datetime(  # noqa: DTZ001  naive on purpose: the zone is a separate question
            year,
            stamp.month,
            stamp.day,
            stamp.hour,
            stamp.minute,
            min(stamp.second, 59),  # leap seconds
            stamp.microsecond,
        )
    except ValueError:
        return None


def microseconds(digits: str | None) -> int:
    """Return the microseconds of a fraction of any length."""
    return int(digits[:6].ljust(6, "0")) if digits else 0


def offset(text: str | None) -> int | None:
    """Return the seconds east of UTC of `Z`, `+0900` or `+09:00`; None for nothing."""
    if not text:
        return None
    if text in "Zz":
        return 0
    digits = text[1:].replace(":", "")
    seconds = int(digits[:2]) * 3600 + int(digits[2:4] or 0) * 60
    return -seconds if text[0] == "-" else seconds


def epoch(*, seconds: int, fraction: str | None) -> Stamp:
    """Return the stamp of seconds since 1970."""
    at = EPOCH + timedelta(seconds=seconds)
    return Stamp(
        year=at.year,
        month=at.month,
        day=at.day,
        hour=at.hour,
        minute=at.minute,
        second=at.second,
        microsecond=microseconds(fraction),
        offset_seconds=0,
    )


def iso(match: re.Match[str], *, zone: str | None = None) -> Stamp:
    """Return the stamp of a match whose first eight groups are those of ISO.

    `zone` is what stood apart from the time.
    """
    year, month, day, hour, minute, second, fraction, beside = match.groups()[:8]
    return Stamp(
        year=int(year),
        month=int(month),
        day=int(day),
        hour=int(hour),
        minute=int(minute),
        second=int(second),
        microsecond=microseconds(fraction),
        offset_seconds=offset(beside or zone),
    )
