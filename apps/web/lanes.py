"""The timeline as a drawing: entries and a span in, positions of points, ranges and boxes out.

Positions travel as SVG attributes, because the content security policy allows no style attribute.
"""

import math
import textwrap
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

WIDTH = 952
LEFT = 136  # where the plot begins: lane heads stand before it
RIGHT = 936
HEAD_HEIGHT = 40
ROW_HEIGHT = 26
TALL_HEIGHT = 42
LANE_PADDING = 6
MAX_ROWS = 5
MOST_LABELS = 40  # entries of a lane that are tried with words, the most urgent first
CROWD_SHOWN = 60
CROWD_GRID = 8
CALM_ROWS = 3  # background gets a label only where the story leaves room
GLYPH_REACH = 11
CHARACTER = 6.1  # mean advance of 11 px Inter, measured on English sentences
BOLD_CHARACTER = 6.7
WIDE = frozenset("WF")
GAP = 10
INSET = 8
SHORTEST_LABEL = 8
TITLE_LETTERS = 16  # of a lane head, on one line before the plot
NOTE_LETTERS = 20
LINE_HEIGHT = 13
TAG_WIDTH = 84
TAG_REACH = 72  # half the cursor's tag and half a tick's text
SHORTEST_RANGE = 10
TICK_COUNT = 8
DENSITY_BARS = 160
DENSITY_HEIGHT = 28
DENSITY_REACH = timedelta(hours=1)

STEPS = tuple(
    timedelta(seconds=seconds)
    for seconds in (
        1,
        2,
        5,
        10,
        15,
        30,
        60,
        120,
        300,
        600,
        900,
        1800,
        3600,
        7200,
        21600,
        43200,
        86400,
    )
)

# The order in which labels win their place.
URGENCY = {
    "initiating": 0,
    "confirmation": 1,
    "cascade": 2,
    "recovery": 3,
    "teardown": 4,
    "context": 5,
    "progress": 6,
}
CALM = {"context", "progress"}
TREATMENTS = {
    "initiating": "initiating",
    "confirmation": "confirms",
    "cascade": "follows",
    "teardown": "follows",
    "recovery": "confirms",
    "progress": "context",
    "context": "context",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open stretch of time that the plot shows."""

    starts_at: datetime
    ends_at: datetime

    def x(self, at: datetime) -> float:
        """Return the horizontal position of an instant, clipped to the plot."""
        share = (at - self.starts_at) / (self.ends_at - self.starts_at)
        return round(LEFT + min(max(share, 0.0), 1.0) * (RIGHT - LEFT), 1)

    def holds(self, *, starts_at: datetime, ends_at: datetime | None) -> bool:
        """Say whether any of a stretch falls into the span."""
        return starts_at < self.ends_at and (ends_at or starts_at) >= self.starts_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that happened, in the words of the page."""

    key: str
    lane: str
    lane_title: str = ""
    layer: str
    role: str
    title: str
    detail: str = ""
    owner: str = ""
    initial: str = ""
    at: datetime | None = None
    ends_at: datetime | None = None
    clock_error: timedelta | None = None
    count: int = 1
    host: str = ""
    is_hidden: bool = False  # held by another party: a stub without its text
    is_band: bool = False  # a save or load, washed through all lanes
    is_no_data: bool = False  # a series that ended: hatched, never drawn as zero


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneHead:
    """A lane before it is drawn: what it is called, who fills it, whether its source is missing."""

    key: str
    title: str
    note: str = ""
    is_lacking: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One drawn entry."""

    entry: Entry
    treatment: str
    x: float
    y: float
    x_end: float | None = None
    label: str = ""
    label_x: float = 0
    label_y: float = 0
    anchor: str = "start"
    detail_y: float = 0
    box_x: float | None = None
    box_y: float = 0
    box_width: float = 0
    box_height: float = 0
    whisker_left: float | None = None
    whisker_right: float = 0
    glyph_x: float = 0
    glyph_y: float = 0
    is_ringed: bool = False
    is_untimed: bool = False
    has_inner_label: bool = False
    hint: str = ""

    @property
    def is_mark(self) -> bool:
        """Say whether nothing but its mark is drawn: a long story has hundreds of these."""
        return not (
            self.label or self.box_width or self.x_end or self.whisker_left is not None
            or self.is_untimed or self.is_ringed
        )  # fmt: skip

    @property
    def whisker_top(self) -> float:
        """Return the upper end of the whisker's stops."""
        return self.y - 4

    @property
    def centre_x(self) -> float:
        """Return the middle of the mark."""
        return self.glyph_x + 6

    @property
    def centre_y(self) -> float:
        """Return the middle of the mark."""
        return self.glyph_y + 6

    @property
    def detail(self) -> str:
        """Return the second line, no wider than its box."""
        if not self.box_width:
            return self.entry.detail
        return cut(self.entry.detail, int((self.box_width - 32) / CHARACTER))

    @property
    def range_width(self) -> float:
        """Return the width of the bar of a range."""
        return round((self.x_end or self.x) - self.x, 1)

    @property
    def range_y(self) -> float:
        """Return the upper edge of the bar of a range."""
        return self.y - self.range_height / 2

    @property
    def range_height(self) -> float:
        """Return the height of the bar: higher when it holds its label."""
        return 18 if self.has_inner_label else 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One lane with everything in it."""

    head: LaneHead
    y: float
    height: float
    items: tuple[Item, ...]
    is_shaded: bool

    @property
    def title_lines(self) -> tuple[tuple[float, str], ...]:
        """Return the lane's name with its baselines, as many lines as it needs."""
        return head_lines(self.head.title, room=TITLE_LETTERS, y=self.y + 16)

    @property
    def note_lines(self) -> tuple[tuple[float, str], ...]:
        """Return what stands below the name, with its baselines."""
        y = self.y + 16 + LINE_HEIGHT * len(self.title_lines)
        return head_lines(self.head.note, room=NOTE_LETTERS, y=y)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One labelled instant of the axis."""

    x: float
    utc: str
    local: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A save or load behind all lanes."""

    x: float
    width: float
    label: str
    label_x: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """The moment it broke."""

    x: float
    utc: str
    local: str
    tag_x: float

    @property
    def text_x(self) -> float:
        """Return the middle of the tag."""
        return self.tag_x + 42


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One column of the density strip."""

    x: float
    y: float
    height: float
    layer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Density:
    """All observations of the incident in one strip, with the window that the lanes show."""

    bars: tuple[Bar, ...]
    window_x: float
    window_width: float
    first: str
    last: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The finished timeline."""

    width: int
    height: float
    lanes: tuple[Lane, ...]
    ticks: tuple[Tick, ...]
    bands: tuple[Band, ...]
    cursor: Cursor | None
    density: Density | None
    local_name: str
    before_count: int
    after_count: int
    span: Span
    left: int = LEFT
    right: int = RIGHT
    head_height: int = HEAD_HEIGHT


def clock_text(at: datetime, *, zone: ZoneInfo | None = None, seconds: bool = False) -> str:
    """Return the time of day as people read it."""
    return at.astimezone(zone or UTC).strftime("%H:%M:%S" if seconds else "%H:%M")


def draw(
    *,
    entries: Sequence[Entry],
    heads: Sequence[LaneHead],
    span: Span,
    failed_at: datetime | None = None,
    zone: ZoneInfo | None = None,
) -> Drawing:
    """Return the lanes of these entries over this span; entries are in the order of the story."""
    placed = place_untimed([entry for entry in entries if not entry.is_hidden])
    shown = [(at, entry) for at, entry in placed if span.holds(starts_at=at, ends_at=entry.ends_at)]
    # What others hold has no time here: its stub stands at the edge, in every window.
    shown += [(span.ends_at, entry) for entry in entries if entry.is_hidden]
    cursor = draw_cursor(failed_at=failed_at, span=span, zone=zone)
    lanes: list[Lane] = []
    y = float(HEAD_HEIGHT)
    for index, head in enumerate(heads):
        members = [
            (at, entry) for at, entry in shown if entry.lane == head.key and not entry.is_band
        ]
        lane = draw_lane(head=head, members=members, span=span, y=y, is_shaded=index % 2 == 1)
        lanes.append(lane)
        y += lane.height
    return Drawing(
        width=WIDTH,
        height=y,
        lanes=tuple(lanes),
        ticks=ticks(span=span, zone=zone, free_of=cursor.tag_x + TAG_WIDTH / 2 if cursor else None),
        bands=tuple(draw_band(entry=entry, span=span) for _, entry in shown if entry.is_band),
        cursor=cursor,
        density=draw_density(placed=placed, span=span),
        local_name=span.starts_at.astimezone(zone).strftime("%Z") if zone else "",
        before_count=sum(1 for at, entry in placed if (entry.ends_at or at) < span.starts_at),
        after_count=sum(1 for at, _ in placed if at >= span.ends_at),
        span=span,
    )


def place_untimed(entries: Sequence[Entry]) -> list[tuple[datetime, Entry]]:
    """Give an entry without a time the instant of the neighbour before it, else after it."""
    known = next((entry.at for entry in entries if entry.at), None)
    placed: list[tuple[datetime, Entry]] = []
    for entry in entries:
        known = entry.at or known
        if known is not None:
            placed.append((known, entry))
    return placed


def head_lines(text: str, *, room: int, y: float) -> tuple[tuple[float, str], ...]:
    """Return a text of a lane's head in at most two lines that end before the plot begins."""
    room = room * len(text) // max(letters(text), 1)
    lines = textwrap.wrap(text, max(room, 2), max_lines=2, placeholder="…")
    return tuple((y + LINE_HEIGHT * index, line) for index, line in enumerate(lines))


def draw_lane(
    *,
    head: LaneHead,
    members: Sequence[tuple[datetime, Entry]],
    span: Span,
    y: float,
    is_shaded: bool,
) -> Lane:
    """Place the members of one lane on as few rows as their labels need."""
    rows: list[list[tuple[float, float]]] = []
    heights: list[float] = []
    chosen: list[tuple[int, Item]] = []
    crowd: list[Item] = []  # what found no room for words: marks alone, on a row of their own
    urgent_first = sorted(
        members, key=lambda pair: (URGENCY.get(pair[1].role, 9), pair[0], pair[1].key)
    )
    for at, entry in urgent_first[MOST_LABELS:]:
        crowd.append(mark(at=at, entry=entry, span=span))
    for at, entry in urgent_first[:MOST_LABELS]:
        item = shape(at=at, entry=entry, span=span)
        limit = CALM_ROWS if entry.role in CALM else MAX_ROWS
        row = free_row(rows=rows, extent=extent(item), limit=limit)
        if row is None:
            crowd.append(replace(item, label="", box_x=None, box_width=0, detail_y=0))
            continue
        if row == len(rows):
            rows.append([])
            heights.append(ROW_HEIGHT)
        rows[row].append(extent(item))
        heights[row] = max(heights[row], TALL_HEIGHT if is_tall(item) else ROW_HEIGHT)
        chosen.append((row, item))
    tops = [y + LANE_PADDING + sum(heights[:row]) for row in range(len(rows))]
    items = [settle(item=item, top=tops[row], height=heights[row]) for row, item in chosen]
    filled = sum(heights)
    if crowd:
        crowd = thinned(crowd)
        items += [settle(item=item, top=y + LANE_PADDING + filled, height=20) for item in crowd]
        filled += 20
    lane = Lane(head=head, y=y, height=0, items=tuple(items), is_shaded=is_shaded)
    told = 12 + LINE_HEIGHT * (len(lane.title_lines) + len(lane.note_lines))
    return replace(lane, height=max(filled + 2 * LANE_PADDING, told, 32))


def mark(*, at: datetime, entry: Entry, span: Span) -> Item:
    """Return one entry as a mark without words."""
    return Item(
        entry=entry,
        treatment=TREATMENTS.get(entry.role, "context"),
        x=span.x(at),
        y=0,
        hint=hint(entry),
    )


def thinned(crowd: Sequence[Item]) -> list[Item]:
    """Return the marks, of too many only one at each place; the list below still tells them all."""
    if len(crowd) <= CROWD_SHOWN:
        return list(crowd)
    places: dict[tuple[int, str, str], Item] = {}
    for item in crowd:
        place = (round(item.x / CROWD_GRID), item.entry.layer, item.treatment)
        places.setdefault(place, item)
    return list(places.values())


def shape(*, at: datetime, entry: Entry, span: Span) -> Item:
    """Choose glyph, bar or box of one entry and where its label goes."""
    x = span.x(at)
    x_end = span.x(entry.ends_at) if entry.ends_at else None
    if x_end is not None and x_end - x < SHORTEST_RANGE:
        x_end = None
    left, right = whisker(at=at, entry=entry, span=span)
    item = Item(
        entry=entry,
        treatment="context" if entry.is_hidden else TREATMENTS.get(entry.role, "context"),
        x=x,
        y=0,
        x_end=x_end,
        whisker_left=left,
        whisker_right=right,
        is_ringed=entry.role == "initiating",
        is_untimed=entry.at is None,
        hint=hint(entry),
    )
    is_folded = entry.count > 1 and entry.role not in CALM
    return boxed(item) if is_folded or entry.is_hidden else labelled(item)


def whisker(*, at: datetime, entry: Entry, span: Span) -> tuple[float | None, float]:
    """Return both ends of the clock error, or nothing where it is too small to see."""
    if entry.clock_error is None or entry.at is None:
        return None, 0
    left, right = span.x(at - entry.clock_error), span.x(at + entry.clock_error)
    return (left, right) if right - left > 2 * GLYPH_REACH else (None, 0)


def hint(entry: Entry) -> str:
    """Return the sentence shown when a pointer rests on the entry."""
    if entry.at is None:
        when = _("printed without a time, drawn after its neighbour")
    else:
        when = f"{clock_text(entry.at, seconds=True)} UTC"
    if entry.clock_error:
        when += f" ±{entry.clock_error.total_seconds():.1f} s"
    return " · ".join(part for part in (entry.title, entry.detail, when, entry.owner) if part)


def boxed(item: Item) -> Item:
    """Return the item as a box of two lines: many ranks folded, or what another party holds."""
    entry = item.entry
    width = max(letters(entry.title) * BOLD_CHARACTER, letters(entry.detail) * CHARACTER) + 40
    width = min(width, (RIGHT - LEFT) * 0.6)
    box_x = min(max(item.x - 8, LEFT + 2), RIGHT - width)
    fitting = int((width - 36) / BOLD_CHARACTER)
    return replace(
        item,
        label=cut(entry.title, fitting),
        x_end=None,
        box_x=box_x,
        box_width=width,
        detail_y=1,
    )


def labelled(item: Item) -> Item:
    """Return the item with its label on the side that has room, cut where neither has."""
    if has_inner_label(item):
        return replace(item, label=item.entry.title, label_x=item.x + INSET, has_inner_label=True)
    character = BOLD_CHARACTER if item.is_ringed else CHARACTER
    detail = item.entry.detail if item.is_ringed else ""
    wanted = max(letters(item.entry.title) * character, letters(detail) * CHARACTER)
    right_edge = max(item.x_end or item.x, item.whisker_right) + GLYPH_REACH
    left_edge = min(item.x, item.whisker_left or item.x) - GLYPH_REACH
    room_right, room_left = RIGHT - right_edge, left_edge - LEFT
    to_right = wanted <= room_right or room_right >= room_left
    room = int((room_right if to_right else room_left) / character)
    return replace(
        item,
        label=cut(item.entry.title, room),
        label_x=right_edge + 2 if to_right else left_edge - 2,
        anchor="start" if to_right else "end",
        detail_y=1 if detail else 0,
    )


def has_inner_label(item: Item) -> bool:
    """Say whether the bar of a range is wide enough to hold its label."""
    wanted = letters(item.entry.title) * CHARACTER + 2 * INSET
    return not item.is_ringed and item.x_end is not None and item.x_end - item.x >= wanted


def cut(text: str, length: int) -> str:
    """Return the text, shortened with an ellipsis where it is longer than there is room."""
    if letters(text) <= length:
        return text
    if length < SHORTEST_LABEL:
        return ""
    kept = next(end for end in range(len(text), -1, -1) if letters(text[:end]) < length)
    return f"{text[:kept].rstrip()}…"


def letters(text: str) -> int:
    """Return how many Latin letters are as wide as the text: a Hangul syllable is two."""
    return sum(2 if unicodedata.east_asian_width(each) in WIDE else 1 for each in text)


def extent(item: Item) -> tuple[float, float]:
    """Return what an item takes of its row."""
    if item.box_x is not None:
        return (item.box_x, item.box_x + item.box_width)
    left = min(item.x, item.whisker_left or item.x) - GLYPH_REACH
    right = max(item.x_end or item.x, item.whisker_right) + GLYPH_REACH
    character = BOLD_CHARACTER if item.is_ringed else CHARACTER
    detail = letters(item.entry.detail) if item.detail_y else 0
    width = max(letters(item.label) * character, detail * CHARACTER)
    if not item.label or item.has_inner_label:
        return (left, right)
    return (left, item.label_x + width) if item.anchor == "start" else (item.label_x - width, right)


def free_row(
    *, rows: Sequence[Sequence[tuple[float, float]]], extent: tuple[float, float], limit: int
) -> int | None:
    """Return the first row with room, a new one where allowed, or nothing when the lane is full."""
    for index, taken in enumerate(rows):
        if all(extent[1] + GAP < left or extent[0] > right + GAP for left, right in taken):
            return index
    return len(rows) if len(rows) < limit else None


def is_tall(item: Item) -> bool:
    """Say whether an item has a second line."""
    return bool(item.detail_y)


def settle(*, item: Item, top: float, height: float) -> Item:
    """Give a placed item its vertical positions."""
    middle = top + height / 2
    tall = is_tall(item)
    box_top = top + 3
    return replace(
        item,
        y=middle,
        glyph_x=(item.box_x + 14 if item.box_x is not None else item.x) - 6,
        glyph_y=(box_top + 12 if item.box_x is not None else middle) - 6,
        box_y=box_top,
        box_height=height - 6,
        label_x=item.box_x + 26 if item.box_x is not None else item.label_x,
        label_y=middle - 3 if tall else middle + 4,
        detail_y=middle + 11 if tall else 0,
    )


def ticks(*, span: Span, zone: ZoneInfo | None, free_of: float | None = None) -> tuple[Tick, ...]:
    """Return round instants, at most eight, with both clocks; none within reach of the cursor."""
    length = span.ends_at - span.starts_at
    step = next((step for step in STEPS if length / step <= TICK_COUNT), STEPS[-1])
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    at = epoch + step * -(-(span.starts_at - epoch) // step)
    found: list[Tick] = []
    while at < span.ends_at:
        seconds = step < timedelta(minutes=1)
        local = clock_text(at, zone=zone, seconds=seconds) if zone else ""
        found.append(Tick(x=span.x(at), utc=clock_text(at, seconds=seconds), local=local))
        at += step
    shown = [tick for tick in found if LEFT + 16 < tick.x < RIGHT - 12]
    return tuple(tick for tick in shown if free_of is None or abs(tick.x - free_of) > TAG_REACH)


def draw_band(*, entry: Entry, span: Span) -> Band:
    """Return the wash of a save or load."""
    starts_at = entry.at or span.starts_at
    x, x_end = span.x(starts_at), span.x(entry.ends_at or starts_at)
    width = max(x_end - x, 3)
    return Band(x=x, width=width, label=entry.title, label_x=x + width / 2)


def draw_cursor(*, failed_at: datetime | None, span: Span, zone: ZoneInfo | None) -> Cursor | None:
    """Return the line at the moment it broke, when the span holds it."""
    if failed_at is None or not span.holds(starts_at=failed_at, ends_at=None):
        return None
    x = span.x(failed_at)
    return Cursor(
        x=x,
        utc=clock_text(failed_at, seconds=True),
        local=failed_at.astimezone(zone).strftime("%H:%M:%S %Z") if zone else "",
        tag_x=min(max(x - 42, LEFT), RIGHT - 84),
    )


def draw_density(*, placed: Sequence[tuple[datetime, Entry]], span: Span) -> Density | None:
    """Return all observations in one strip; a column takes its most urgent layer."""
    first, last = span.starts_at - DENSITY_REACH, span.ends_at + DENSITY_REACH
    timed = [
        (entry.at, entry)
        for _, entry in placed
        if entry.at and not entry.is_band and first <= entry.at <= last
    ]
    if not timed:
        return None
    first = min([span.starts_at, *(at for at, _ in timed)])
    last = max([span.ends_at, *(at for at, _ in timed)])
    whole = Span(starts_at=first, ends_at=last + timedelta(seconds=1))
    columns: dict[int, list[Entry]] = defaultdict(list)
    for at, entry in timed:
        columns[int((whole.x(at) - LEFT) / (RIGHT - LEFT) * DENSITY_BARS)].append(entry)
    most = max(sum(entry.count for entry in members) for members in columns.values())
    return Density(
        bars=tuple(
            density_bar(column=column, members=columns[column], most=most)
            for column in sorted(columns)
        ),
        window_x=whole.x(span.starts_at),
        window_width=round(whole.x(span.ends_at) - whole.x(span.starts_at), 1),
        first=clock_text(first),
        last=clock_text(last),
    )


def density_bar(*, column: int, members: Sequence[Entry], most: int) -> Bar:
    """Return one column, as high as the logarithm of its observations."""
    count = sum(entry.count for entry in members)
    height = round(3 + (DENSITY_HEIGHT - 3) * math.log1p(count) / math.log1p(most), 1)
    chief = min(members, key=lambda entry: URGENCY.get(entry.role, 9))
    return Bar(
        x=round(LEFT + column * (RIGHT - LEFT) / DENSITY_BARS, 1),
        y=DENSITY_HEIGHT - height,
        height=height,
        layer=chief.layer if URGENCY.get(chief.role, 9) <= URGENCY["cascade"] else "quiet",
    )
