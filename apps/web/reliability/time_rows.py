"""Where the time of a period went, as rows and a bar, and what is to be known of it."""

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.reliability.period.shown_progress import tells_saves
from apps.reliability.period.values import Period, TimeDivision, UseShare
from apps.training.economics.timelines import TimeUse
from apps.web import words
from apps.web.display.figures import gpu_hours, percent
from apps.web.display.instants import dated
from apps.web.reliability.figure_text import interval_text, share_text
from apps.web.reliability.page import TimeUseRow
from apps.web.session.time_uses import NAMES

WIDTH: Final = 1344


def use_rows(division: TimeDivision) -> tuple[TimeUseRow, ...]:
    """Return what each use took, in the order of the bar."""
    shares = {TimeUse(each.use): each for each in division.uses}
    found, x = [], 0.0
    for use, name in NAMES.items():
        share = shares.get(use)
        if share is None or not share.milliseconds:
            continue
        width = share.milliseconds / (division.wall_ms or 1) * WIDTH
        found.append(_row(use, str(name), share, x, width))
        x += width
    return tuple(found)


def _row(use: TimeUse, name: str, share: UseShare, x: float, width: float) -> TimeUseRow:
    return TimeUseRow(
        slug=use.value,
        name=name,
        length=words.duration(share.milliseconds / 1000),
        share=percent(share.share.value or 0.0),
        interval=interval_text(share.share.interval, percent),
        gpu_hours=gpu_hours(share.gpu_hours),
        x=round(x, 1),
        width=round(max(width - 2, 1.0), 1),
    )


def time_notes(period: Period) -> tuple[str, ...]:
    """Return what the division leaves out, and what it is to be compared with."""
    return tuple(_notes(period))


def _notes(period: Period) -> Iterator[str]:
    division, told = period.division, period.utilization
    if division.expected_ettr is not None:
        yield _("By the formula %(ettr)s would be expected of what was measured here.") % {
            "ettr": percent(division.expected_ettr)
        }
    if told.within_band.n:
        low, high = told.band
        yield _("Attempts with an MFU of %(low).0f to %(high).0f %%, the usual: %(share)s.") % {
            "low": low,
            "high": high,
            "share": share_text(told.within_band),
        }
    if division.untold and division.untold.count:
        yield ngettext(
            "Of %(n)s session no step is known: its %(length)s of running are in no share.",
            "Of %(n)s sessions no step is known: their %(length)s of running are in no share.",
            division.untold.count,
        ) % {"n": division.untold.count, "length": words.duration((division.untold_ms or 0) / 1000)}
    if division.unsure_count:
        yield ngettext(
            "Nobody tells of saves of %(n)s attempt: what its end lost is not known.",
            "Nobody tells of saves of %(n)s attempts: what their ends lost is not known.",
            division.unsure_count,
        ) % {"n": division.unsure_count}
    if any(each.shown and not tells_saves(each.shown) for each in period.owners):
        yield _(
            "Of sessions shown as a signal, saves, loads and lost progress"
            " are among what is not known."
        )
    if division.counted_until:
        yield _("What still runs is counted up to %(at)s UTC.") % {
            "at": dated(division.counted_until)
        }
