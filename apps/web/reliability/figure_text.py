"""Figures in words: the number, its interval, what it rests on, and why it is not there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.diagnosis.intervals import HitShare
from apps.reliability.period.scopes import Absence, CountedKind, Figure
from apps.web import words
from apps.web.display.figures import NO_NUMBER, at_least
from apps.web.reliability.asked import AskedPeriod

WHY: Final = {
    Absence.NOTHING: gettext_lazy("there was nothing to count"),
    Absence.NOT_TOLD: gettext_lazy("not known: nobody told"),
    Absence.HIDDEN: gettext_lazy("hidden by policy"),
    Absence.OTHER_TENANTS: gettext_lazy("withheld: it would tell of another tenant"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureText:
    """A figure as it is read. `query` leads to what it counts; empty: that is not listed."""

    value: str
    interval: str
    basis: str  # 12 sessions; or why there is no number
    query: str
    is_absent: bool


def figure_text(
    figure: Figure, *, form: Callable[[float], str], name: str, asked: AskedPeriod, of: str = ""
) -> FigureText:
    """Return a figure in words; `of` says which one of several is meant."""
    has_any = figure.counted is not None and figure.counted.count > 0
    query = counted_query(asked, name=name, of=of) if has_any else ""
    if figure.value is None:
        low = figure.interval[0] if figure.interval else None
        known = _("more than %(low)s") % {"low": form(low)} if low else ""
        why = WHY[figure.absence or Absence.NOTHING]
        return FigureText(
            value=known or NO_NUMBER,
            interval="",
            basis=_("none failed so far: the lower bound at 95 %") if known else str(why),
            query="",
            is_absent=not known,
        )
    value = form(figure.value)
    return FigureText(
        value=at_least(value, is_bound=figure.is_at_least),
        interval=interval_text(figure.interval, form),
        basis=basis_text(figure),
        query=query,
        is_absent=False,
    )


def interval_text(interval: tuple[float, float | None] | None, form: Callable[[float], str]) -> str:
    """Return an interval; nothing where there is none."""
    if interval is None:
        return ""
    low, high = interval
    if high is None:
        return _("more than %(low)s") % {"low": form(low)}
    return _("%(low)s to %(high)s") % {"low": form(low), "high": form(high)}


def basis_text(figure: Figure) -> str:
    """Return of how many something a figure is."""
    kind = figure.counted.kind if figure.counted else None
    if kind is CountedKind.SESSIONS:
        return ngettext("%(n)s session", "%(n)s sessions", figure.n) % {"n": figure.n}
    if kind is CountedKind.ATTEMPTS:
        return ngettext("%(n)s attempt", "%(n)s attempts", figure.n) % {"n": figure.n}
    if kind is CountedKind.INCIDENTS:
        return ngettext("%(n)s incident", "%(n)s incidents", figure.n) % {"n": figure.n}
    return _("n = %(n)s") % {"n": figure.n}


def counted_query(asked: AskedPeriod, *, name: str, of: str = "") -> str:
    """Return the query of the list of what a figure counts."""
    return asked.query(figure=name, **({"of": of} if of else {}))


def share_text(share: HitShare) -> str:
    """Return a share with its interval; of nothing it is none."""
    if not share.n:
        return NO_NUMBER
    low, high = share.interval
    told = {"hits": share.hits, "n": share.n, "low": low * 100, "high": high * 100}
    return _("%(hits)s of %(n)s (95 %%: %(low).0f to %(high).0f %%)") % told


def percents(value: float) -> str:
    """Return a percentage."""
    return f"{value:.1f} %"


def hours(value: float) -> str:
    """Return hours as a length of time."""
    return words.duration(value * 3600)


def seconds(value: float) -> str:
    """Return seconds as a length of time."""
    return words.duration(value)
