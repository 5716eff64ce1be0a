"""Numbers over a week: each with its n and a 95 % interval."""

import math
from collections.abc import Sequence

from django.utils.translation import gettext as _

from apps.incidents.reading import IncidentHeader
from apps.web.pages import WeekNumber

Z = 1.96


def poisson_interval(count: int) -> tuple[float, float]:
    """Return the 95 % interval of a count (Byar's approximation to the exact one)."""
    lower = count * (1 - 1 / (9 * count) - Z / (3 * math.sqrt(count))) ** 3 if count else 0.0
    more = count + 1
    return max(lower, 0.0), more * (1 - 1 / (9 * more) + Z / (3 * math.sqrt(more))) ** 3


def wilson_interval(part: int, whole: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson's score)."""
    share = part / whole
    centre = share + Z**2 / (2 * whole)
    spread = Z * math.sqrt(share * (1 - share) / whole + Z**2 / (4 * whole**2))
    scale = 1 + Z**2 / whole
    return max((centre - spread) / scale, 0.0), min((centre + spread) / scale, 1.0)


def week_numbers(headers: Sequence[IncidentHeader]) -> tuple[WeekNumber, ...]:
    """Return how often it stopped, and how often the cause was named."""
    stops = [header for header in headers if header.incident.kind == "stop"]
    count = len(stops)
    low, high = poisson_interval(count)
    stopped = WeekNumber(
        name=_("Sessions stopped"),
        value=str(count),
        unit=_("in 7 days"),
        interval=f"95 % {low:.1f}–{high:.1f}, n = {count}",  # noqa: RUF001  a range
        note=_("stops that the portal counts as incidents"),
    )
    if not count:
        return (stopped,)
    named = sum(1 for header in stops if header.incident.verdict_status == "likely")
    low, high = wilson_interval(named, count)
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
