"""Arcs between entries of a timeline: which explains which, and how that is drawn."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.web.lanes.elements import Item, Lane
from apps.web.lanes.lettering import CHARACTER, cut, letters
from apps.web.lanes.scale import LEFT, RIGHT

MOST: Final = 10  # more are a knot
GAP: Final = 10  # from the middle of a mark to where an arc begins or ends
NEAR: Final = 24  # marks that stand over each other are joined by a bow
BOW: Final = 40
HEAD: Final = 5
PADDING: Final = 8
LABEL_HEIGHT: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalLink:
    """That one entry explains another, and by which rule. Both are named by their keys."""

    cause: str
    effect: str
    rule: str
    is_ordered: bool  # the effect surely came later; else its arc has no head


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """From an entry to one that it explains, with the rule that says so."""

    path: str
    head: str  # of the arrow; empty where it is not known which came first
    rule: str
    label: str  # the rule, as far as there is room
    label_x: float
    label_y: float
    label_width: float

    @property
    def text_x(self) -> float:
        """Return where the words of its rule begin."""
        return self.label_x + PADDING

    @property
    def text_y(self) -> float:
        """Return their baseline."""
        return self.label_y + 14


@dataclass(frozen=True, slots=True)
class _End:
    """Where an arc arrives, and the way that it comes: (1, 0) from the left, (0, 1) from above."""

    x: float
    y: float
    way: tuple[int, int]


def draw_arcs(*, lanes: Sequence[Lane], links: Sequence[CausalLink]) -> tuple[Arc, ...]:
    """Return an arc for each link whose two entries are drawn by themselves."""
    shown = {item.entry.key: item for lane in lanes for item in lane.items if not item.folded_count}
    return tuple(_arcs(shown, links))[:MOST]


def _arcs(shown: Mapping[str, Item], links: Sequence[CausalLink]) -> Iterator[Arc]:
    for link in links:
        cause, effect = shown.get(link.cause), shown.get(link.effect)
        if cause is not None and effect is not None:
            yield _arc(cause, effect, link)


def _arc(cause: Item, effect: Item, link: CausalLink) -> Arc:
    end = _end(cause, effect)
    down = end.y > cause.centre_y
    x, y = cause.centre_x, round(cause.centre_y + (GAP if down else -GAP), 1)
    near = abs(end.x - x) < NEAR
    first = (x - BOW if near else x, y + (end.y - y) * 0.55)
    reach = BOW if near else max(NEAR, min(2 * BOW, abs(end.x - x) / 2))
    second = (end.x - end.way[0] * reach, end.y - end.way[1] * NEAR)
    curve = " ".join(f"{a:.1f} {b:.1f}" for a, b in (first, second, (end.x, end.y)))
    room = int((RIGHT - LEFT - 3 * PADDING) / CHARACTER)
    label = cut(link.rule, room)
    width = round(letters(label) * CHARACTER + 2 * PADDING, 1)
    label_x = min(max((x + end.x) / 2, LEFT + 4), RIGHT - width - 4)
    return Arc(
        path=f"M{x:.1f} {y:.1f}C{curve}",
        head=_head(end) if link.is_ordered else "",
        rule=link.rule,
        label=label,
        label_x=round(label_x, 1),
        label_y=round((y + end.y) / 2 - LABEL_HEIGHT / 2, 1),
        label_width=width,
    )


def _end(cause: Item, effect: Item) -> _End:
    """Return where an arc meets its effect: at the side that it comes from, past its words."""
    if effect.box_width and effect.box_x is not None:
        left, right = effect.box_x, effect.box_x + effect.box_width
        y = effect.box_y + effect.box_height / 2
    else:
        left, right = effect.centre_x - GAP, effect.centre_x + GAP
        y = effect.centre_y
    is_from_right = cause.centre_x > right
    words = "" if effect.box_width or not effect.label else effect.anchor
    if words == ("start" if is_from_right else "end"):
        down = 1 if y > cause.centre_y else -1
        return _End(effect.centre_x, y - down * GAP, (0, down))
    return _End(right if is_from_right else left, y, (-1 if is_from_right else 1, 0))


def _head(end: _End) -> str:
    (right, down), (x, y) = end.way, (end.x, end.y)
    back_x, back_y = x - right * HEAD, y - down * HEAD
    first = f"M{back_x - down * 4:.1f} {back_y - right * 4:.1f}"
    return f"{first}L{x:.1f} {y:.1f}L{back_x + down * 4:.1f} {back_y + right * 4:.1f}"
