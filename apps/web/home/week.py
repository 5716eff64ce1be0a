"""Numbers over a week: each with its n and a 95 % interval."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from apps.diagnosis.intervals import count_interval, wilson
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words import is_stop
from apps.web.home.page import WeekNumber


def week_numbers(headers: Sequence[IncidentHeader]) -> tuple[WeekNumber, ...]:
    """Return how often it stopped, and how often the cause was named."""
    stops = [header for header in headers if is_stop(header)]
    count = len(stops)
    low, high = count_interval(count)
    stopped = WeekNumber(
        name=_("Sessions stopped"),
        value=str(count),
        unit=_("in 7 days"),
        # Of nothing that happened an interval would say more than is known.
        interval=f"95 % {low:.1f}–{high:.1f}, n = {count}" if count else "n = 0",  # noqa: RUF001  a range
        note=_("stops that the portal counts as incidents"),
    )
    if not count:
        return (stopped,)
    named = sum(1 for header in stops if header.incident.verdict_status == "likely")
    low, high = wilson(named, count)
    return (
        stopped,
        WeekNumber(
            name=_("Layer named as likely"),
            value=_("%(n)s of %(all)s") % {"n": named, "all": count},
            unit="",
            interval=f"95 % {low:.0%}–{high:.0%}, n = {count}",  # noqa: RUF001  a range
            note=_("by the portal itself, not confirmed by the parties"),
        ),
    )
