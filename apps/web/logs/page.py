"""What the pages of held logs show."""

from dataclasses import dataclass

from apps.web.display.choices import SegmentLink
from apps.web.display.layers import LayerMark


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEntry:
    """One held log in the list."""

    key: str
    name: str
    kind: str
    session: str  # public id, or empty
    session_name: str
    lines: str
    covers: str
    beside_query: str  # reads it beside the one that is open; empty in the list


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsPage:
    """The list of held logs, narrowed by what its form says."""

    streams: tuple[StreamEntry, ...]
    is_cut: bool
    session: str
    host: str
    hosts: tuple[str, ...]
    kinds: tuple[SegmentLink, ...]
    kind: str
    keeps: str  # how long text is kept
    is_filtered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkRow:
    """What a signature recognised in a line, and the incidents that rest on it."""

    signature: str
    meaning: str
    layer: LayerMark | None
    incidents: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRow:
    """One line, or numbers of lines that are not kept any more."""

    number: int
    at: str
    at_note: str  # what kind of time it is
    rank: str
    level: str
    level_word: str
    text: str
    is_cut: bool
    is_asked: bool
    marks: tuple[MarkRow, ...]
    gap: str = ""  # said instead of a line


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesPart:
    """A stretch of a log as it is scrolled through; empty queries where there is no more."""

    rows: tuple[LineRow, ...]
    older_query: str
    newer_query: str
    own_query: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CellBlock:
    """What one log says in a second, in the columns."""

    key: str  # of its log
    state: str
    word: str
    rows: tuple[LineRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnsPart:
    """Logs side by side."""

    heads: tuple[StreamEntry, ...]
    rows: tuple[tuple[str, tuple[CellBlock, ...]], ...]
    untimed: str
    older_query: str
    newer_query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamPage:
    """One held log, open at a place."""

    stream: StreamEntry
    title: str
    lead: str
    kept: str  # what of it is kept, exactly
    part: LinesPart | None
    columns: ColumnsPart | None
    search_note: str
    problem: str
    q: str
    is_pattern: bool
    is_exact_case: bool
    level: str
    levels: tuple[tuple[str, str], ...]
    at: str
    beside: str
    others: tuple[StreamEntry, ...]  # of the same session or host
    download_query: str
    api_query: str
    is_simulated: bool
