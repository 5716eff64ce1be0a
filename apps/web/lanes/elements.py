"""What a drawn timeline consists of."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from apps.web.lanes.lettering import CHARACTER, LINE_HEIGHT, cut, head_lines
from apps.web.lanes.pins import PinRow

TITLE_LETTERS = 16  # of a lane head, on one line before the plot
NOTE_LETTERS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that happened, in the words of the page."""

    key: str
    lane: str
    lane_title: str = ""
    layer: str
    role: str
    title: str
    same: str = ""  # for whatever tells the same; empty: its title
    detail: str = ""
    owner: str = ""
    initial: str = ""
    at: datetime | None = None
    ends_at: datetime | None = None
    clock_error: timedelta | None = None  # None: nobody knows how exact the time is
    error_holders: str = ""  # who knows it all the same, and does not show it
    clock: str = ""  # whose clock stamped it: the same for lines of one log of one host
    line: int = 0  # where it stands in that log
    count: int = 1
    host: str = ""
    reference: str = ""  # the fact it tells of
    address: str = ""  # where it stands in full
    weight: float = 0.0  # what it weighs for the verdict, where it is evidence of the reader's own
    is_hidden: bool = False  # held by another party: a stub without its text
    is_bare: bool = False  # another party shows no more of it than that it is there
    is_band: bool = False  # a save or load, washed through all lanes
    is_no_data: bool = False  # a series that ended: hatched, never drawn as zero
    is_lesser: bool = False  # drawn smaller and last: it can have had no part in what is told
    stays_in_view: bool = False  # outside the window it is told at its edge, with how far off it is
    signature: str = ""  # of the line it tells of, as the catalog names it
    ranks: tuple[int, ...] = ()  # that said the same
    members: tuple["Entry", ...] = ()  # what it stands for, where it is folded


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
    label_width: float = 0  # of an inner one
    is_label_above: bool = False  # beside the mark its clock error leaves no room
    folded_count: int = 0  # of others that it stands for
    hint: str = ""

    @property
    def is_mark(self) -> bool:
        """Say whether nothing but its mark is drawn: a long story has hundreds of these."""
        return not (
            self.label or self.box_width or self.x_end or self.whisker_left is not None
            or self.is_untimed or self.is_ringed
        )  # fmt: skip

    @property
    def whisker(self) -> str:
        """Return the path of the clock error; it leaves out the words inside a bar."""
        left, right, y, top = self.whisker_left, self.whisker_right, self.y, self.y - 4
        if not self.has_inner_label:
            return f"M{left} {y}H{right}M{left} {top}v8M{right} {top}v8"
        end = round(self.label_x + self.label_width, 1)
        tail = f"M{end} {y}H{right}M{right} {top}v8" if right > end else ""
        return f"M{left} {y}H{self.x}M{left} {top}v8{tail}"

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
        if self.has_inner_label:
            return 18
        return 6 if self.entry.is_lesser else 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """One lane with everything in it."""

    head: LaneHead
    y: float
    height: float
    items: tuple[Item, ...]
    is_shaded: bool
    annotations: PinRow = field(default_factory=PinRow)

    @property
    def title_lines(self) -> tuple[tuple[float, str], ...]:
        """Return the lane's name with its baselines, as many lines as it needs."""
        return head_lines(self.head.title, room=TITLE_LETTERS, y=self.y + 16)

    @property
    def note_lines(self) -> tuple[tuple[float, str], ...]:
        """Return what stands below the name, with its baselines."""
        y = self.y + 16 + LINE_HEIGHT * len(self.title_lines)
        return head_lines(self.head.note, room=NOTE_LETTERS, y=y)
