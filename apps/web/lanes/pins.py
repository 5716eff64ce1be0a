"""Annotations on a timeline: a pin at the foot of its lane, and the stretch of time it is about."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.web.lanes.scale import LEFT, RIGHT, Span

PIN_ROW = 24
PIN_WIDTH = 18
PIN_GAP = 3
SHORTEST_STRETCH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """An annotation that belongs to a lane; without a time it is about all of it."""

    key: str  # where it stands in full
    lane: str
    mark: str  # the letter of its party
    hint: str
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    is_unread: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The time that an annotation is about."""

    x: float
    y: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPin:
    """A pin in its place; near ones are one, which counts them and leads to the first."""

    key: str
    text: str
    hint: str
    x: float
    y: float
    is_unread: bool

    @property
    def text_x(self) -> float:
        """Return the middle of the pin."""
        return round(self.x + PIN_WIDTH / 2, 1)

    @property
    def text_y(self) -> float:
        """Return the baseline of its letter."""
        return self.y + 12


@dataclass(frozen=True, slots=True, kw_only=True)
class PinRow:
    """All pins of a lane."""

    pins: tuple[DrawnPin, ...] = ()
    stretches: tuple[Stretch, ...] = ()


def draw_pins(*, pins: Sequence[Pin], span: Span, y: float) -> PinRow:
    """Return the pins of one lane within the span, on a row that begins at `y`."""
    shown = [(_x(pin, span), pin) for pin in pins if _is_within(pin, span)]
    groups: list[list[tuple[float, Pin]]] = []
    for x, pin in sorted(shown, key=lambda pair: (pair[0], pair[1].key)):
        if groups and x - groups[-1][0][0] < PIN_WIDTH + PIN_GAP:
            groups[-1].append((x, pin))
        else:
            groups.append([(x, pin)])
    stretches = [
        Stretch(x=span.x(pin.starts_at), y=y, width=_width(pin.starts_at, pin.ends_at, span))
        for _, pin in shown
        if pin.starts_at and pin.ends_at
    ]
    return PinRow(pins=tuple(_drawn(group, y) for group in groups), stretches=tuple(stretches))


def _is_within(pin: Pin, span: Span) -> bool:
    return pin.starts_at is None or span.holds(starts_at=pin.starts_at, ends_at=pin.ends_at)


def _x(pin: Pin, span: Span) -> float:
    """Return the left edge of a pin: at its time, as far as the plot has room."""
    x = span.x(pin.starts_at) if pin.starts_at else LEFT + PIN_GAP
    return min(x, RIGHT - PIN_WIDTH)


def _width(starts_at: datetime, ends_at: datetime, span: Span) -> float:
    return max(round(span.x(ends_at) - span.x(starts_at), 1), SHORTEST_STRETCH)


def _drawn(group: Sequence[tuple[float, Pin]], y: float) -> DrawnPin:
    x, first = group[0]
    return DrawnPin(
        key=first.key,
        text=str(len(group)) if len(group) > 1 else first.mark,
        hint="\n".join(pin.hint for _, pin in group),
        x=x,
        y=y + 4,
        is_unread=any(pin.is_unread for _, pin in group),
    )
