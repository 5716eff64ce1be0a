"""Numbers over a week: each with its n, a 95 % interval and, of enough cases, its trend."""

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext as _

from apps.diagnosis.intervals import count_interval, share_interval, wilson
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words import is_stop
from apps.web.home.page import WeekNumber
from apps.web.home.trends import count_trend, share_trend

EVEN = 0.5


def week_numbers(
    *,
    headers: Sequence[IncidentHeader],
    before: Sequence[IncidentHeader] | None,
    since: datetime,
    now: datetime,
) -> tuple[WeekNumber, ...]:
    """Return how often it stopped, and how often the cause was named.

    `headers` are the incidents of the last seven days, `before` those of the seven before, None
    where they can't be counted; since `since` the reader's organization is known here.
    """
    stops = [header for header in headers if is_stop(header)]
    former = None if before is None else [header for header in before if is_stop(header)]
    both = None if former is None else [*former, *stops]
    count = len(stops)
    low, high = count_interval(count)
    stopped = WeekNumber(
        name=_("Sessions stopped"),
        value=str(count),
        unit=_("in 7 days"),
        # Of nothing that happened an interval would say more than is known.
        interval=f"95 % {low:.1f}–{high:.1f}, n = {count}" if count else "n = 0",  # noqa: RUF001  a range
        note=_before(count, former) or _("stops that the portal counts as incidents"),
        trend=count_trend(both, since=since, now=now) if both else None,
    )
    if not count:
        return (stopped,)
    named = sum(map(_is_named, stops))
    low, high = wilson(named, count)
    return (
        stopped,
        WeekNumber(
            name=_("Layer named as likely"),
            value=_("%(n)s of %(all)s") % {"n": named, "all": count},
            unit="",
            interval=f"95 % {low * 100:.0f}–{high * 100:.0f} %, n = {count}",  # noqa: RUF001  a range
            note=_("by the portal itself, not confirmed by the parties"),
            trend=share_trend(both, is_hit=_is_named, now=now) if both else None,
        ),
    )


def _is_named(header: IncidentHeader) -> bool:
    return header.incident.verdict_status == "likely"


def _before(count: int, former: Sequence[IncidentHeader] | None) -> str:
    """Return the count of the week before, and whether the difference means anything."""
    if not former:
        return ""
    low, high = share_interval(count, count + len(former))
    told = {"n": len(former)}
    if low <= EVEN <= high:
        return _("the week before %(n)s, no clear difference") % told
    return _("the week before %(n)s, a clear difference") % told
