"""Folded bursts that open in place: what they stand for, one line each, over the lanes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.web.lanes.elements import Entry, Item, Lane
from apps.web.lanes.lettering import CHARACTER, cut, letters
from apps.web.lanes.scale import LEFT, RIGHT, Span, clock_text

LINES: Final = 8
LINE: Final = 16
PADDING: Final = 10
MARKS: Final = 120  # more are one dark bar
LETTERS: Final = 88
RUNS: Final = 12  # of ranks without a gap


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """What a folded entry opens to: a mark at each moment, and words of the first ones."""

    name: str
    x: float  # of the box that opens
    y: float
    width: float
    height: float
    marks: tuple[float, ...]  # horizontal positions of the members
    panel_x: float
    panel_y: float
    panel_width: float
    panel_height: float
    lines: tuple[tuple[float, str], ...]  # with their baselines

    @property
    def sign_x(self) -> float:
        """Return where the sign stands that it opens."""
        return self.x + self.width - 12

    @property
    def sign_y(self) -> float:
        """Return its upper edge."""
        return self.y + 8

    @property
    def text_x(self) -> float:
        """Return where the words of the panel begin."""
        return self.panel_x + PADDING


def draw_bursts(*, lanes: Sequence[Lane], span: Span, height: float) -> tuple[Burst, ...]:
    """Return what opens of all that is folded into a box, within a drawing of that height."""
    return tuple(
        _burst(item, lines, span, height)
        for lane in lanes
        for item in lane.items
        if item.box_width and not item.entry.is_hidden and (lines := member_lines(item.entry))
    )


def member_lines(entry: Entry) -> tuple[str, ...]:
    """Return what a folded entry stands for, a line each, the first ones and how many more."""
    told = [_line(each) for each in entry.members[:LINES]]
    if len(entry.members) > LINES:
        told.append(_more(len(entry.members) - LINES))
    if not told and len(entry.ranks) > 1:
        told.append(_("ranks %(ranks)s") % {"ranks": rank_runs(entry.ranks)})
    return tuple(told)


def rank_runs(ranks: Sequence[int]) -> str:
    """Return ranks in runs: 0–3, 7, 9–12."""  # noqa: RUF002  a span
    runs: list[list[int]] = []
    for rank in sorted(ranks):
        if runs and rank == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], rank]
        else:
            runs.append([rank])
    told = ", ".join("–".join(map(str, run)) for run in runs[:RUNS])  # noqa: RUF001  a span
    return f"{told}, {_more(len(runs) - RUNS)}" if len(runs) > RUNS else told


def _more(count: int) -> str:
    return ngettext("and %(n)s more", "and %(n)s more", count) % {"n": count}


def _line(entry: Entry) -> str:
    at = clock_text(entry.at, seconds=True) if entry.at else _("no time")
    return " · ".join(part for part in (at, entry.detail) if part)


def _burst(item: Item, told: Sequence[str], span: Span, height: float) -> Burst:
    lines = [cut(line, LETTERS) for line in told]
    x = item.box_x if item.box_x is not None else item.x
    width = min(max(map(letters, lines)) * CHARACTER + 2 * PADDING, RIGHT - LEFT - 8)
    tall = LINE * len(lines) + PADDING
    bottom = item.box_y + item.box_height
    # Over the box where there is no room below it.
    top = bottom if bottom + tall <= height else max(item.box_y - tall, 0)
    return Burst(
        name=item.hint,
        x=x,
        y=item.box_y,
        width=item.box_width,
        height=item.box_height,
        marks=_marks(item.entry, span),
        panel_x=round(min(max(x, LEFT + 4), RIGHT - width - 4), 1),
        panel_y=top,
        panel_width=round(width, 1),
        panel_height=tall,
        lines=tuple((top + LINE * (n + 1) - 2, line) for n, line in enumerate(lines)),
    )


def _marks(entry: Entry, span: Span) -> tuple[float, ...]:
    """Return where the members stand; those closer than a pixel are one."""
    held = sorted(span.x(each.at) for each in entry.members if each.at and _is_in(each, span))
    apart = [after for before, after in pairwise(held) if after - before >= 1]
    return tuple([*held[:1], *apart][:MARKS])


def _is_in(entry: Entry, span: Span) -> bool:
    return entry.at is not None and span.holds(starts_at=entry.at, ends_at=None)
