"""Up to four held logs side by side, second by second: what each says, and where it is not held."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.telemetry.held_logs.line_pages import page_from
from apps.telemetry.held_logs.stream_access import open_stream
from apps.telemetry.held_logs.time_places import place_of_time
from apps.telemetry.held_logs.values import HeldLine, HeldStream, LinePage
from apps.tenancy.access import Actor

MOST_COLUMNS: Final = 4
COLUMN_LINES: Final = 100
SECOND: Final = timedelta(seconds=1)
LINES, QUIET, GONE, OUTSIDE = "lines", "quiet", "gone", "outside"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedCell:
    """What one log says within a second; only `quiet` means that it was heard and said nothing."""

    state: str  # lines quiet gone outside
    lines: tuple[HeldLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedRow:
    """One second in which at least one log says something."""

    at: datetime
    cells: tuple[AlignedCell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignedPage:
    """Logs side by side from an instant on."""

    streams: tuple[HeldStream, ...]
    rows: tuple[AlignedRow, ...]
    untimed: tuple[str, ...]  # keys of logs whose lines have no time: nothing to align
    next_at: datetime | None  # None: all that is held was shown


def aligned_page(*, actor: Actor, keys: Sequence[str], at: datetime) -> AlignedPage:
    """Return logs side by side; raise NotFound for one of another. Needs the holder's scope.

    All columns end where the first of them was not read any further.
    """
    streams = tuple(open_stream(actor=actor, key=key) for key in keys[:MOST_COLUMNS])
    columns = [_column(actor, stream, at) for stream in streams]
    ends = [column.ends_before for column in columns if column.ends_before is not None]
    until = min(ends, default=None)
    seconds = sorted(
        {each for column in columns for each in column.lines if until is None or each < until}
    )
    return AlignedPage(
        streams=streams,
        rows=tuple(
            AlignedRow(at=each, cells=tuple(column.cell(each) for column in columns))
            for each in seconds
        ),
        untimed=tuple(column.stream.key for column in columns if column.is_untimed),
        next_at=until,
    )


class _AlignedColumn:
    """The lines of one log by the second."""

    def __init__(self, stream: HeldStream, page: LinePage | None, at: datetime) -> None:
        self.stream, self.is_untimed = stream, page is None
        self.lines: dict[datetime, list[HeldLine]] = {}
        self._gone: list[tuple[datetime, datetime]] = []
        second = at.replace(microsecond=0)
        gaps = {gap.last + 1 for gap in page.gaps} if page else set()
        for line in page.lines if page else ():
            former = second
            second = (line.at or second).replace(microsecond=0)
            if line.number in gaps:
                self._gone.append((former, second))
            self.lines.setdefault(second, []).append(line)
        self.ends_before = self._end(second) if page and page.has_newer and self.lines else None

    def _end(self, last: datetime) -> datetime:
        """Return from when on there may be lines that were not read."""
        return last if len(self.lines) > 1 else last + SECOND

    def cell(self, second: datetime) -> AlignedCell:
        """Return what is known of a second."""
        if second in self.lines:
            return AlignedCell(state=LINES, lines=tuple(self.lines[second]))
        if any(start <= second <= end for start, end in self._gone):
            return AlignedCell(state=GONE)
        first, last = self.stream.first_at, self.stream.last_at
        if self.is_untimed or first is None or last is None:
            return AlignedCell(state=OUTSIDE)
        is_heard = first.replace(microsecond=0) <= second <= last
        return AlignedCell(state=QUIET if is_heard else OUTSIDE)


def _column(actor: Actor, stream: HeldStream, at: datetime) -> _AlignedColumn:
    number = place_of_time(actor=actor, key=stream.key, at=at)
    if number is None:
        return _AlignedColumn(stream, None, at)
    page = page_from(actor=actor, key=stream.key, number=number, count=COLUMN_LINES)
    return _AlignedColumn(stream, page, at)
