"""What a turn adds to one stream, gathered until it is written."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from apps.diagnosis import model
from apps.diagnosis.input_values import as_if_utc
from apps.telemetry.formats.line_merge import Lines
from apps.telemetry.limits.processor_budget import Budget, unlimited
from apps.telemetry.logs.interpretation import event_rows
from apps.telemetry.models import Event, LogChunk, LogStream
from apps.training.stragglers.importers.inspector import CollectiveTiming

Voice = tuple[str, int | None]
Latest = tuple[str, int | None, str]
Span = tuple[datetime | None, datetime | None]


@dataclass(slots=True, kw_only=True)
class Work:
    """What a turn adds to one stream, until it is written."""

    stream: LogStream
    received_at: datetime
    budget: Budget = field(default_factory=unlimited)
    new_chunks: list[LogChunk] = field(default_factory=list)
    old_chunks: list[LogChunk] = field(default_factory=list)  # numbered anew
    events: list[Event] = field(default_factory=list)
    progress: dict[Latest, model.Event] = field(default_factory=dict)
    extents: dict[Voice, model.Extent] = field(default_factory=dict)
    points: list[model.ProgressPoint] = field(default_factory=list)
    collectives: tuple[CollectiveTiming, ...] = ()  # the latest of each rank
    replaced_from: int | None = None  # facts from this line number on are written anew
    is_read_again: bool = False
    is_whole: bool = False  # read again from its first line
    new_line_count: int = 0
    duplicate_count: int = 0
    spans: list[Span] = field(default_factory=list)


def span_of(reading: model.Reading) -> Span:
    """Return from when to when a part of a stream speaks; local time where no zone is known."""
    firsts = [at for e in reading.extents if (at := e.first_at or as_if_utc(e.first_local_at))]
    lasts = [at for e in reading.extents if (at := e.last_at or as_if_utc(e.last_local_at))]
    return (min(firsts, default=None), max(lasts, default=None))


def take(*, work: Work, reading: model.Reading, lines: Lines, number: int) -> None:
    """Note what a part of the stream said."""
    work.events += [row_of(work, event, lines, number) for event in reading.events]
    note_progress(work, reading.progress)
    work.points += reading.points
    for extent in reading.extents:
        voice = (extent.host or "", extent.rank)
        known = work.extents.get(voice)
        work.extents[voice] = event_rows.merged(one=known, other=extent) if known else extent
    work.spans.append(span_of(reading))


def row_of(work: Work, event: model.Event, lines: Lines | None, number: int) -> Event:
    """Return an event as a row: a stamp names its line for good, else its number does."""
    position = event.line.number - number
    if lines is not None and lines.stamps is not None and 0 <= position < lines.line_count:
        identity = f"at:{int(lines.stamps[position])}"
    else:
        identity = f"no:{event.line.number}"
    return event_rows.event_row(
        event=event, stream=work.stream, identity=identity, received_at=work.received_at
    )


def note_progress(work: Work, progress: Sequence[model.Event]) -> None:
    """Keep of each rank or voice what it said last."""
    for event in progress:
        key = (event.line.host or "", event.line.rank, event.signature)
        known = work.progress.get(key)
        if known is None or known.line.number <= event.line.number:
            work.progress[key] = event


def forget(*, work: Work, number: int, is_whole: bool) -> None:
    """Drop what was read from a line number on: it is going to be read again."""
    work.is_read_again, work.is_whole = True, is_whole
    work.replaced_from = min(number, work.replaced_from or number)
    work.events = [row for row in work.events if row.order_key < number]
    work.progress = {k: e for k, e in work.progress.items() if e.line.number < number}
    work.points = [point for point in work.points if point.number < number]
    if is_whole:
        work.extents = {}
