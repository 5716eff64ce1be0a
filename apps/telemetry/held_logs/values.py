"""What is read of held logs: streams, lines, and where lines are not kept any more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldStream:
    """One log that an organization holds; `key` names it in addresses."""

    id: int
    key: str
    kind: str  # diagnosis.model.Stream, or empty where nothing told it
    host: str
    rank: int | None
    cluster: str  # slug, or empty
    session: str  # public id, or empty
    session_name: str
    line_count: int
    first_at: datetime | None  # None: its lines print no time, or none with a zone
    last_at: datetime | None
    is_simulated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LineMark:
    """What a signature recognised in a line."""

    signature: str
    fields: Mapping[str, str]  # named groups of its pattern
    layer: str  # empty: progress
    role: str
    severity: str
    reference: str  # as incidents cite the line


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLine:
    """One line as it came in, without terminal escapes, and what its own prefix says."""

    number: int
    text: str
    is_cut: bool  # its text goes on: a download has all of it
    at: datetime | None  # None: it prints no time, or one whose zone nobody knows
    is_envelope_time: bool  # said by who sent it, not printed by who wrote it
    local_at: datetime | None  # as printed, without a zone
    host: str
    rank: int | None
    level: str  # error warning info debug, or empty where it prints none
    marks: tuple[LineMark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LineGap:
    """Numbers of lines whose text is not kept any more: no silence of who wrote them."""

    first: int
    last: int

    @property
    def count(self) -> int:
        """How many lines are missing."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LinePage:
    """Consecutive lines of a log in its order; between them stands what is missing."""

    lines: tuple[HeldLine, ...]
    gaps: tuple[LineGap, ...]
    has_older: bool
    has_newer: bool
    is_rough: bool = False  # parts that overlap so widely that their order is that of arrival

    @property
    def first(self) -> int | None:
        """The number of the first line or missing line."""
        numbers = [each.number for each in self.lines[:1]] + [each.first for each in self.gaps[:1]]
        return min(numbers, default=None)

    @property
    def last(self) -> int | None:
        """The number of the last line or missing line."""
        numbers = [each.number for each in self.lines[-1:]] + [each.last for each in self.gaps[-1:]]
        return max(numbers, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """Lines that were searched for, and how far the search got."""

    lines: tuple[HeldLine, ...]
    searched_lines: int
    missing_lines: int  # not kept any more: nobody knows whether they match
    next_number: int | None  # where the search goes on; None: it is through


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldExtent:
    """How much of a stream is there, in lines."""

    line_count: int  # that were ever read
    kept_lines: int
    kept_bytes: int  # as stored, compressed
    excerpt_lines: int  # of those kept: only what stands around citations
    first_kept: int | None
    keep_days: int | None  # by rule; None: for ever

    @property
    def gone_lines(self) -> int:
        """How many lines were there once."""
        return max(0, self.line_count - self.kept_lines)


Lines = Sequence[HeldLine]
