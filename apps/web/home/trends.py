"""Numbers day by day as small lines; none of so few cases that a line would show chance."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any, Final

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from apps.incidents.projection.header_values import IncidentHeader
from apps.web.home.page import Trend

DAYS: Final = 14
DAY: Final = timedelta(days=1)
TOP, BOTTOM = 4, 44
LEFT, RIGHT = 3, 197
LEAST_CASES: Final = 5  # in all days together
# Of fewer cases no share of a day is told, and of fewer such days no line.
LEAST_OF_A_DAY: Final = 3
LEAST_SHARES: Final = 3
LEAST_DAYS: Final = 3  # with a value; fewer make a dot or a slope that means nothing


def count_trend(
    headers: Sequence[IncidentHeader], *, since: datetime, now: datetime
) -> Trend | None:
    """Return how many there were each day; days before anything was known have none.

    None of few cases, and of few days.
    """
    if len(headers) < LEAST_CASES:
        return None
    known_since = min([since, *(each.moment for each in headers)])
    counts = [
        len(some) if now - (DAYS - 1 - day) * DAY > known_since else None
        for day, some in enumerate(_by_day(headers, now))
    ]
    if sum(each is not None for each in counts) < LEAST_DAYS:
        return None
    return _trend(counts, count=len(headers), text=str, now=now)


def share_trend(
    headers: Sequence[IncidentHeader], *, is_hit: Callable[[IncidentHeader], bool], now: datetime
) -> Trend | None:
    """Return which share of each day's cases hit, of days with enough of them."""
    shares = [
        sum(map(is_hit, some)) / len(some) if len(some) >= LEAST_OF_A_DAY else None
        for some in _by_day(headers, now)
    ]
    if sum(each is not None for each in shares) < LEAST_SHARES:
        return None
    return _trend(shares, count=len(headers), text=_percent, now=now, most=1.0)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _by_day(headers: Sequence[IncidentHeader], now: datetime) -> list[list[IncidentHeader]]:
    """Return them by days of 24 hours, the last of which ends now."""
    days: list[list[IncidentHeader]] = [[] for _ in range(DAYS)]
    for each in headers:
        back = (now - each.moment) // DAY
        if 0 <= back < DAYS:
            days[DAYS - 1 - back].append(each)
    return days


def _trend(
    values: Sequence[float | None],
    *,
    count: int,
    text: Callable[[Any], str],
    now: datetime,
    most: float = 0.0,
) -> Trend:
    top = max([most, *(each for each in values if each is not None)])
    first = next(place for place, each in enumerate(values) if each is not None)
    shown = values[first:]
    days = len(shown)
    points = list(_points(shown, max(top, 1e-9)))
    ends = {"first": _day(now - (days - 1) * DAY), "last": _day(now)}
    told = [_("not known") if each is None else text(each) for each in shown]
    return Trend(
        lines=tuple(
            " ".join(f"{x:g},{y:g}" for x, y in some if y is not None)
            for is_known, some in _stretches(points)
            if is_known
        ),
        dot=next((x, y) for x, y in reversed(points) if y is not None),
        first=ends["first"],
        last=ends["last"],
        high=text(top),
        hint=_("Day by day from %(first)s to %(last)s: %(values)s")
        % {**ends, "values": ", ".join(told)},
        text=_("each of the last %(days)s days, n = %(n)s") % {"days": days, "n": count},
    )


def _day(moment: datetime) -> str:
    return dateformat.format(moment.astimezone(UTC), pgettext("date format", "j M"))


Point = tuple[float, float | None]


def _points(values: Sequence[float | None], high: float) -> Iterator[Point]:
    for place, value in enumerate(values):
        x = round(LEFT + (RIGHT - LEFT) * place / (len(values) - 1), 1)
        y = None if value is None else round(BOTTOM - (BOTTOM - TOP) * value / high, 1)
        yield x, y


def _stretches(points: Sequence[Point]) -> Iterator[tuple[bool, list[Point]]]:
    for is_known, some in groupby(points, key=lambda each: each[1] is not None):
        yield is_known, list(some)
