"""Entries for whose words no row is left: near ones become one mark that counts them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from operator import itemgetter

from django.utils.translation import ngettext

from apps.web.lanes.elements import Entry, Item
from apps.web.lanes.lettering import CHARACTER, cut, letters
from apps.web.lanes.scale import LEFT, RIGHT, Span
from apps.web.lanes.shape import GLYPH_REACH, hint, mark

REACH = 96  # from one mark to the next: room for the glyph and a few words
UNTIMED_SIGN = 2  # letters before the words of what was printed without a time


def folded(*, members: Sequence[tuple[datetime, Entry]], span: Span) -> list[Item]:
    """Return the marks of one row, none over another; the list below still tells them all."""
    groups = _groups([(span.x(at), entry) for at, entry in members])
    shown: list[Item] = []
    taken = float(LEFT)
    for group, until in zip(groups, _ends([group[0][0] for group in groups]), strict=True):
        item = _worded(_one(group), taken=taken, until=until - GLYPH_REACH)
        taken = item.x + GLYPH_REACH
        if item.anchor == "start":
            taken += _width(item, item.label)
        shown.append(item)
    return shown


def _groups(placed: Sequence[tuple[float, Entry]]) -> list[list[tuple[float, Entry]]]:
    groups: list[list[tuple[float, Entry]]] = []
    for x, entry in sorted(placed, key=itemgetter(0)):
        # The words of the last one stand before it where none fit behind it.
        reach = 2 * REACH if x > RIGHT - REACH else REACH
        if groups and x - groups[-1][0][0] < reach:
            groups[-1].append((x, entry))
        else:
            groups.append([(x, entry)])
    return groups


def _ends(starts: Sequence[float]) -> list[float]:
    """Return up to where the words of each mark may go."""
    ends = [*starts[1:], RIGHT + GLYPH_REACH]
    if len(starts) > 1 and starts[-1] > RIGHT - REACH:
        ends[-2] -= REACH
    return ends


def _one(group: Sequence[tuple[float, Entry]]) -> Item:
    """Return the first of a group, in place of all."""
    (x, first), more = group[0], len(group) - 1
    if not more:
        return mark(x=x, entry=first, label=first.title, hint=hint(first))
    counted = ngettext("%(n)s moment", "%(n)s moments", len(group)) % {"n": len(group)}
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
