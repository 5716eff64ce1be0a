"""Charts of kept metrics: the blamed part beside the band of its peers. A gap stays a gap."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.incidents.exports.export_format import Json
from apps.incidents.exports.plain_words import PartyNames
from apps.incidents.exports.printing.time_axis import TimeAxis, TimeTick
from apps.incidents.exports.sheet.colours import colour_of
from apps.incidents.exports.sheet.instants import read_instant
from apps.wording import ENGLISH
from apps.wording.amounts import amount
from apps.wording.devices import addressed, device_of

WIDTH: Final = 480
HEIGHT: Final = 150
LEFT: Final = 10
RIGHT: Final = 470
TOP: Final = 12
BOTTOM: Final = 122
MOST_CHARTS: Final = 12  # as the page of an incident shows
MOST_POINTS: Final = 400
Values = Sequence[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartDrawing:
    """One signal of one part as lines; coordinates in the drawing's units."""

    title: str
    part: str
    holder: str  # who kept it
    colour: str
    line: str  # path of the part; every gap begins anew
    band: str  # path of where its peers are, p5 to p95; empty: none were read
    low: str
    high: str
    broke_x: float | None
    ticks: tuple[TimeTick, ...]
    gap_count: int
    width: int = WIDTH
    height: int = HEIGHT
    top: int = TOP
    bottom: int = BOTTOM
    left: int = LEFT
    right: int = RIGHT


def draw_charts(*, document_charts: Sequence[Json], incident: Json) -> tuple[ChartDrawing, ...]:
    """Return the charts of an incident, those of blamed parts and of the blamed layer first.

    Each signal is drawn once, of the part that stands out most; at most twelve in all.
    """
    ranked = sorted(document_charts, key=lambda each: _rank(each, incident))
    chosen: dict[str, Json] = {}
    for each in ranked:
        if _numbers(each["values"]):
            chosen.setdefault(str(each["signal"]), each)
    broke_at, parties = read_instant(incident["started_at"]), PartyNames(incident)
    return tuple(_draw(each, broke_at, parties) for each in list(chosen.values())[:MOST_CHARTS])


def _rank(chart: Json, incident: Json) -> tuple[bool, bool, float, str, str]:
    is_blamed = any(_is_same(chart["entity"], each) for each in incident["culprits"] or ())
    is_of_layer = chart["layer"] == incident["layer"]
    name = str(chart["entity"]["host"])
    return not is_blamed, not is_of_layer, -_distance(chart), str(chart["signal"]), name


def _is_same(entity: Json, culprit: Json) -> bool:
    index = (culprit.get("gpu") or {}).get("index")
    names = entity["name"], culprit.get("name")
    return (
        entity["kind"] == culprit["kind"]
        and entity["host"] == culprit.get("host")
        and (index is None or entity["index"] is None or entity["index"] == index)
        and (not all(names) or names[0] == names[1])
    )


def _distance(chart: Json) -> float:
    """Return how far it leaves its peers' middle, in widths of their band; without them 0."""
    peers = chart["peers"]
    if not all(peers.get(name) for name in ("p5", "p50", "p95")):
        return 0.0
    rows = zip(chart["values"], peers["p5"], peers["p50"], peers["p95"], strict=False)
    found = [
        abs(value - middle) / max(high - low, 1e-9 + abs(middle) * 1e-3)
        for value, low, middle, high in rows
        if None not in {value, low, middle, high}
    ]
    return max(found, default=0.0)


def _draw(chart: Json, broke_at: datetime | None, parties: PartyNames) -> ChartDrawing:
    values, peers = chart["values"], chart["peers"]
    starts_at = read_instant(chart["starts_at"])
    assert starts_at is not None  # noqa: S101  what has values has a first one
    step = timedelta(seconds=chart["step_seconds"] or 1.0)
    axis = TimeAxis(
        starts_at=starts_at,
        ends_at=starts_at + step * max(len(values) - 1, 1),
        left=LEFT,
        right=RIGHT,
    )
    edges = [peers[name] for name in ("p5", "p95") if peers.get(name)]
    numbers = [each for line in (values, *edges) for each in _numbers(line)]
    low, high = min(numbers), max(numbers)
    place = _Plot(low=low, high=high, count=len(values))
    is_inside = broke_at is not None and axis.starts_at <= broke_at <= axis.ends_at
    return ChartDrawing(
        title=str(chart["meaning"] or chart["signal"]),
        part=addressed(device_of(chart["entity"]), ENGLISH),
        holder=parties.shared(chart.get("shared")),
        colour=colour_of(str(chart["layer"])),
        line=place.line(values),
        band=place.band(*edges) if len(edges) == 2 else "",
        low=amount(low, str(chart["unit"])),
        high=amount(high, str(chart["unit"])),
        broke_x=axis.x(broke_at) if broke_at is not None and is_inside else None,
        ticks=axis.ticks()[::2],
        gap_count=sum(each is None for each in values),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plot:
    """Values of one grid as paths of the plot."""

    low: float
    high: float
    count: int

    def line(self, values: Values) -> str:
        """Return the path of a line, interrupted where there is no value."""
        words, is_down = [], False
        for place, value in _thinned(values):
            if value is None:
                is_down = False
                continue
            words.append(f"{'L' if is_down else 'M'}{self._x(place)} {self._y(value)}")
            is_down = True
        return "".join(words)

    def band(self, lower: Values, upper: Values) -> str:
        """Return the closed path between two lines, where both have a value."""
        size = min(len(lower), len(upper))
        every = max(1, math.ceil(size / MOST_POINTS))
        pairs = [
            (place, low, high)
            for place in range(0, size, every)
            if (low := lower[place]) is not None and (high := upper[place]) is not None
        ]
        there = [f"{self._x(place)} {self._y(high)}" for place, _, high in pairs]
        back = [f"{self._x(place)} {self._y(low)}" for place, low, _ in reversed(pairs)]
        return f"M{'L'.join([*there, *back])}Z" if pairs else ""

    def _x(self, place: int) -> float:
        return round(LEFT + (RIGHT - LEFT) * place / max(self.count - 1, 1), 1)

    def _y(self, value: float) -> float:
        height = self.high - self.low
        share = (value - self.low) / height if height > 0 else 0.5
        return round(BOTTOM - (BOTTOM - TOP) * share, 1)


def _thinned(values: Values) -> Iterator[tuple[int, float | None]]:
    """Yield each bucket's lowest and highest value, and every gap; all where they are few."""
    if len(values) <= MOST_POINTS:
        yield from enumerate(values)
        return
    size = math.ceil(2 * len(values) / MOST_POINTS)
    for start in range(0, len(values), size):
        bucket = list(enumerate(values[start : start + size], start))
        numbers = [(place, value) for place, value in bucket if value is not None]
        if len(numbers) < len(bucket):
            yield start, None
        if numbers:
            kept = {min(numbers, key=_value), max(numbers, key=_value)}
            yield from sorted(kept)


def _value(pair: tuple[int, float]) -> float:
    return pair[1]


def _numbers(values: Values) -> list[float]:
    return [each for each in values if each is not None and math.isfinite(each)]
