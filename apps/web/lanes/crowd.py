"""Entries for whose words no row is left: near ones become one mark that counts them."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from operator import itemgetter

from django.utils.translation import ngettext

from apps.web.lanes.elements import Entry, Item
from apps.web.lanes.lettering import CHARACTER, cut, letters
from apps.web.lanes.scale import LEFT, RIGHT, Span
from apps.web.lanes.shape import GLYPH_REACH, hint, mark
from apps.web.lanes.urgency import Member, by_urgency

REACH = 96  # from one mark to the next: room for the glyph and a few words
UNTIMED_SIGN = 2  # letters before the words of what was printed without a time


def folded(*, members: Sequence[Member], tried: Sequence[Member] = (), span: Span) -> list[Item]:
    """Return the marks of one row, none over another; the list below still tells them all.

    Of several at one place the most urgent is shown, and before what was `tried` with words.
    """
    groups = _groups([*members, *tried], frozenset(map(id, tried)), span)
    ends = _ends([x for x, _, _ in groups])
    shown: list[Item] = []
    taken = float(LEFT)
    for (x, first, more), until in zip(groups, ends, strict=True):
        item = _worded(_one(x, first, more), taken=taken, until=until - GLYPH_REACH)
        taken = item.x + GLYPH_REACH
        if item.anchor == "start":
            taken += _width(item, item.label)
        shown.append(item)
    return shown


def _groups(
    members: Sequence[Member], tried: Collection[int], span: Span
) -> list[tuple[float, Entry, int]]:
    """Return the place of each mark, what is shown there, and how many more stand behind it.

    Places follow from instants: of a lane of thousands only those at the edges of groups are asked.
    """
    by_time = sorted(members, key=itemgetter(0))
    groups: list[tuple[float, Entry, int]] = []
    begin = 0
    while begin < len(by_time):
        x = span.x(by_time[begin][0])
        away = _away_from(x, span)
        end = bisect_left(by_time, float(REACH), begin, key=away)
        # The words of the last one stand before it where none fit behind it.
        if end < len(by_time) and span.x(by_time[end][0]) > RIGHT - REACH:
            end = bisect_left(by_time, 2.0 * REACH, end, key=away)
        same = by_time[begin : bisect_right(by_time, 0.0, begin, key=away)]
        first = min(same, key=lambda each: (id(each) in tried, *by_urgency(each)))
        groups.append((x, first[1], end - begin - 1))
        begin = end
    return groups


def _away_from(x: float, span: Span) -> Callable[[Member], float]:
    """Return what says how far behind a place a member is drawn."""
    return lambda member: span.x(member[0]) - x


def _ends(starts: Sequence[float]) -> list[float]:
    """Return up to where the words of each mark may go."""
    ends = [*starts[1:], RIGHT + GLYPH_REACH]
    if len(starts) > 1 and starts[-1] > RIGHT - REACH:
        ends[-2] -= REACH
    return ends


def _one(x: float, first: Entry, more: int) -> Item:
    """Return the first of a group, in place of all."""
    if not more:
        return mark(x=x, entry=first, label=first.title, hint=hint(first))
    counted = ngettext("%(n)s moment", "%(n)s moments", more + 1) % {"n": more + 1}
    rest = ngettext("and %(n)s more", "and %(n)s more", more) % {"n": more}
    told = f"{hint(first)} · {rest}"
    return mark(x=x, entry=first, label=counted, hint=told, folded_count=more)


def _worded(item: Item, *, taken: float, until: float) -> Item:
    """Return a mark with its words on the side that has room, without any where neither has."""
    right, left = item.x + GLYPH_REACH + 2, item.x - GLYPH_REACH - 2
    to_right, to_left = _cut(item, until - right), _cut(item, left - taken)
    # How many it stands for is said whole, on whichever side that goes.
    is_better_left = bool(item.folded_count) and len(to_left) > len(to_right)
    if to_right and not is_better_left:
        return replace(item, label=to_right, label_x=right)
    return replace(item, label=to_left, label_x=left, anchor="end")


def _cut(item: Item, width: float) -> str:
    room = int(width / CHARACTER) - (UNTIMED_SIGN if item.is_untimed else 0)
    return cut(item.label, room) if room > 0 else ""


def _width(item: Item, label: str) -> float:
    return (letters(label) + (UNTIMED_SIGN if item.is_untimed else 0)) * CHARACTER
