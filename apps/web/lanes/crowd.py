"""Entries for whose words no row is left: near ones become one mark that counts them."""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import ngettext

from apps.web.lanes.elements import Item
from apps.web.lanes.lettering import CHARACTER, cut, letters
from apps.web.lanes.scale import LEFT, RIGHT
from apps.web.lanes.shape import GLYPH_REACH, hint

REACH = 96  # from one mark to the next: room for the glyph and a few words
UNTIMED_SIGN = 2  # letters before the words of what was printed without a time


def folded(*, marks: Sequence[Item]) -> list[Item]:
    """Return the marks of one row, none over another; the list below still tells them all."""
    groups = _groups(marks)
    shown: list[Item] = []
    taken = float(LEFT)
    for group, until in zip(groups, _ends([group[0].x for group in groups]), strict=True):
        item = _worded(_one(group), taken=taken, until=until - GLYPH_REACH)
        taken = item.x + GLYPH_REACH
        if item.anchor == "start":
            taken += _width(item, item.label)
        shown.append(item)
    return shown


def _groups(marks: Sequence[Item]) -> list[list[Item]]:
    groups: list[list[Item]] = []
    for item in sorted(marks, key=lambda item: item.x):
        # The words of the last one stand before it where none fit behind it.
        reach = 2 * REACH if item.x > RIGHT - REACH else REACH
        if groups and item.x - groups[-1][0].x < reach:
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def _ends(starts: Sequence[float]) -> list[float]:
    """Return up to where the words of each mark may go."""
    ends = [*starts[1:], RIGHT + GLYPH_REACH]
    if len(starts) > 1 and starts[-1] > RIGHT - REACH:
        ends[-2] -= REACH
    return ends


def _one(group: Sequence[Item]) -> Item:
    """Return the first of a group, in place of all."""
    first, more = group[0], len(group) - 1
    if not more:
        return replace(first, label=first.entry.title, hint=hint(first.entry))
    counted = ngettext("%(n)s moment", "%(n)s moments", len(group)) % {"n": len(group)}
    rest = ngettext("and %(n)s more", "and %(n)s more", more) % {"n": more}
    return replace(first, label=counted, hint=f"{hint(first.entry)} · {rest}", folded_count=more)


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
