"""Figures as people read them; what is not known is a dash, never a zero."""

from typing import Final

from django.utils.translation import gettext as _

NO_NUMBER: Final = "–"  # noqa: RUF001  nobody told, or there is none of it
WHOLE_FROM: Final = 100  # GPU-hours without a digit behind the point


def percent(share: float | None) -> str:
    """Return a share with one digit behind the point: 93.1 %."""
    return NO_NUMBER if share is None else f"{share * 100:.1f} %"


def whole_percent(share: float) -> str:
    """Return a share without a digit behind the point, where few cases make more of them noise."""
    return f"{share * 100:.0f} %"


def gpu_hours(hours: float | None) -> str:
    """Return GPU-hours, few of them with one digit behind the point."""
    if hours is None:
        return NO_NUMBER
    return f"{hours:,.0f}" if hours >= WHOLE_FROM or hours == 0 else f"{hours:,.1f}"


def at_least(text: str, *, is_bound: bool) -> str:
    """Return a figure, one that lacks parts nobody knows as the least it can be."""
    return _("at least %(value)s") % {"value": text} if is_bound else text
