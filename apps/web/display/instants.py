"""Times and lengths of time as people say them."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.utils import dateformat
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True, kw_only=True)
class Instant:
    """A time as text, with the machine's form beside it."""

    at: datetime
    text: str
    local: str = ""


def instant(at: datetime, *, zone: ZoneInfo | None, now: datetime | None = None) -> Instant:
    """Return a time in UTC, with the day where it is not today's, and the local time beside it."""
    utc = at.astimezone(UTC)
    is_today = now is not None and utc.date() == now.astimezone(UTC).date()
    text = utc.strftime("%H:%M:%S") if is_today else dated(utc, seconds=True)
    local = ""
    if zone:
        there = at.astimezone(zone)
        local = f"{dated(there, seconds=True)} {there:%Z}"
    return Instant(at=at, text=text, local=local)


def dated(at: datetime, *, seconds: bool = False) -> str:
    """Return a moment with its day, in its own zone: 10 Mar 05:44."""
    return _dated(at.replace(tzinfo=None), get_language(), seconds=seconds)


def in_full(at: datetime, *, seconds: bool = False) -> str:
    """Return a moment in UTC with its year, for what is read long after: 10 Mar 2026 05:44."""
    with_seconds = pgettext("date format", "j M Y H:i:s")
    form = with_seconds if seconds else pgettext("date format", "j M Y H:i")
    return dateformat.format(at.astimezone(UTC), form)


def day_in_full(at: datetime) -> str:
    """Return the day of a moment in UTC, with its year: 10 Mar 2026."""
    return dateformat.format(at.astimezone(UTC), pgettext("date format", "j M Y"))


def calendar_day(day: date) -> str:
    """Return a day that was chosen as such, with its year: 10 Mar 2026."""
    return dateformat.format(day, pgettext("date format", "j M Y"))


@lru_cache(maxsize=8192)
def _dated(wall_clock: datetime, _language: str | None, *, seconds: bool) -> str:
    """Return what one language always makes of it: drawings show hundreds of the same moments.

    By the wall clock, since moments of two zones are equal and read differently.
    """
    with_seconds = pgettext("date format", "j M H:i:s")
    form = with_seconds if seconds else pgettext("date format", "j M H:i")
    return dateformat.format(wall_clock, form)


def clock_length(length: timedelta) -> str:
    """Return a running time as 00:14:32, with days in front where there are any."""
    seconds = max(int(length.total_seconds()), 0)
    days, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return _("%(d)s d %(clock)s") % {"d": days, "clock": clock} if days else clock


def day_text(at: datetime, *, now: datetime) -> str:
    """Return when something was, as one says it: today 02:03:58, yesterday 23:41, 10 Mar 05:44."""
    utc, today = at.astimezone(UTC), now.astimezone(UTC).date()
    days = (today - utc.date()).days
    if days == 0:
        return _("today %(at)s") % {"at": f"{utc:%H:%M:%S}"}
    if days == 1:
        return _("yesterday %(at)s") % {"at": f"{utc:%H:%M}"}
    return dated(utc)
