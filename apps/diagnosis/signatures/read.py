"""A source, batch by batch → events, progress and extents. The door of this package."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from apps.diagnosis.logs import line_cleaning
from apps.diagnosis.logs.envelopes import Wrappings
from apps.diagnosis.logs.identity import MARK
from apps.diagnosis.logs.parse import parse
from apps.diagnosis.model import Event, LogLine, Mark, Origin, Reading, Role
from apps.diagnosis.signatures.event_builder import event_of
from apps.diagnosis.signatures.lines import lost_loss
from apps.diagnosis.signatures.lines.batch_reading import reading_of
from apps.diagnosis.signatures.lines.checks import Checks
from apps.diagnosis.signatures.lines.concerned_lines import KnownProgress, concerned_lines
from apps.diagnosis.signatures.lines.flood import Flood
from apps.diagnosis.signatures.lines.known_gpus import KnownGpus
from apps.diagnosis.signatures.lines.lazy_line import Asked, AskedStep, Read
from apps.diagnosis.signatures.lines.line_sender import voice_of
from apps.diagnosis.signatures.lines.plain_progress import KnownStep, PlainProgress
from apps.diagnosis.signatures.lines.prepared_batch import (
    BatchLines,
    PreparedBatch,
    match_of,
    opened_batch,
    prepared_batch,
)
from apps.diagnosis.signatures.lines.repeated_setup import ToldOnce
from apps.diagnosis.signatures.lines.step_reader import StepReader
from apps.diagnosis.signatures.lines.waiting_progress import is_plain
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.match import (
    Candidates,
    SignatureMatch,
    SignatureMatcher,
    default_matcher,
)
from apps.diagnosis.signatures.open_records import Book
from apps.diagnosis.signatures.progress.step_times import RESTARTS, Voice
from apps.diagnosis.signatures.reader_state import HandedState, ReaderState, dump, restore

# A line of a list of workers: its ranks are global.
WORKERS = marked(Mark.WORKER_LIST)


class StreamReader:
    """Read one source (a file or a pushed stream) from batch to batch.

    Cutting a source between lines, and going on through `state`, gives the events of one reading,
    but where a flood is counted: an event is named by (source, number, signature).
    Extents count the lines of their own batch.
    """

    def __init__(
        self,
        *,
        origin: Origin,
        state: bytes | None = None,
        matcher: SignatureMatcher | None = None,
        check: Callable[[], None] | None = None,
        points_beside: frozenset[str] = frozenset(),
    ) -> None:
        """Read `origin` on from `state`. `points_beside` limits the points: see `Points`."""
        self._checks = Checks(check=check)
        self._origin = origin
        self._matcher = matcher or default_matcher()
        self._match = partial(match_of, self._matcher)
        self._once = ToldOnce()
        self._told_lines = Counter[str]()  # of the last batch, by signature
        self._has_voices = True  # who speaks stands in the line
        self._flood = Flood()
        whole = restore(data=state, origin=origin) if state else ReaderState()
        whole.points.beside = points_beside
        self.go_on(handed=HandedState(state=whole))

    def go_on(self, *, handed: HandedState) -> None:
        """Read on from where another reader of this source stands."""
        state = self._state = handed.state
        self._book = Book(records=state.records)
        self._once.go_on(seen=state.seen, known=handed.known_prefixes)
        self._gpus = KnownGpus(told=state.gpus)
        self._named = state.identities.named
        self._steps = StepReader(state=state)

    def handed_on(self) -> HandedState:
        """Return all that the next reader needs, and what the last batch taught of prefixes."""
        self._state.records = self._book.open
        return HandedState(state=self._state, known_prefixes=self._once.learnt)

    @property
    def state(self) -> bytes:
        """Return what the next reader of this source needs to go on exactly here."""
        return dump(state=self.handed_on().state)

    def feed(
        self, *, text: str, first_number: int, stamps: Sequence[datetime] | None = None
    ) -> Reading:
        """Return what whole lines, joined by line feeds, say. At least one: "" is an empty line.

        `first_number` is the 1-based number of the first; `stamps` are envelope times, one a line.
        """
        origin, unwrapper = self._origin, self._state.unwrapper
        lines = BatchLines(text=text, first_number=first_number, origin=origin, stamps=stamps)
        return self._fed(opened_batch(lines=lines, unwrapper=unwrapper))

    def prepared(self, *, text: str, first_number: int) -> PreparedBatch:
        """Return what lines say whatever stands before them, for `feed_prepared` in their turn."""
        lines = BatchLines(text=text, first_number=first_number, origin=self._origin)
        return prepared_batch(
            lines=lines, matcher=self._matcher, once=self._once, told=self._told_lines
        )

    def feed_prepared(self, *, batch: PreparedBatch) -> Reading:
        """Return what `feed` returns for these lines."""
        if batch.unwrapper is None or batch.assumed != self._state.unwrapper:
            return self.feed(text=batch.lines.text, first_number=batch.lines.first_number)
        self._state.unwrapper = batch.unwrapper
        return self._fed(batch)

    def _fed(self, batch: PreparedBatch) -> Reading:
        wrapped, read, first = batch.wrapped, batch.read, batch.lines.first_number
        self._once.learnt, self._told_lines = [], Counter[str]()
        self._has_voices = not wrapped
        self._flood = Flood(around=batch.around)
        events: list[Event] = []

        def stepped(index: int, line: bytes, progress: PlainProgress, voice: Voice) -> None:
            self._checks.read(line)
            step = KnownStep(read, index, line, progress)
            if not self._steps.waits(step, voice=voice):
                events.extend(self._events(Asked(read, index, step.shown()), step.hit(), voice))

        self._steps.begin(read=read)
        steps = KnownProgress(stepped=stepped, queues=self._steps.queues)
        for index, line, candidates, hit in concerned_lines(
            data=batch.data,
            matcher=self._matcher,
            book=self._book,
            steps=None if wrapped else steps,
            blocks=batch.blocks,
        ):
            self._checks.read(line)
            key = batch.key(index, line)
            if self._flood.is_repeated(index, key, line, candidates, self._book.open):
                continue
            told: list[Event] = []
            for asked in batch.asked(index, line, hit):
                told += self._told(asked, candidates if asked.shown is line else None)
            self._flood.note(first + index, told, self._book.open)
            events += told
        events += [*self._steps.waited(), *self._counted(read, wrapped)]
        self._state.last_number = first + batch.line_count - 1
        # What an earlier part began is told here and was heard there.
        own = [event.line for event in events if event.line.number >= first]
        heard = batch.covered().extents(told=own)
        points = self._steps.points(events=events, first_number=first)
        return reading_of(origin=self._origin, events=events, extents=heard, points=points)

    def close(self) -> Reading:
        """Return what a record still open says; nothing follows in this source."""
        events: list[Event] = []
        if rest := self._state.unwrapper.rest():
            text, said = rest

            def read(index: int, line: str) -> LogLine:
                return parse(text=line, origin=self._origin, number=index, wrapped=said)

            asked = Asked(read, self._state.last_number, text, is_wrapped=True)
            events += self._told(asked, None)
        return reading_of(origin=self._origin, events=events + self._book.close())

    def _told(self, asked: Asked, candidates: Candidates | None) -> Sequence[Event]:
        """Return the events of one shown line. It is parsed only if something asks for it."""
        line, known = asked.shown, candidates
        if len(line) > line_cleaning.LINE_LIMIT:
            line, known = line_cleaning.cut(line=line), None
        hit = self._match(line, asked, known)
        if hit is None:
            return self._events(asked, None) if self._book.is_concerned(text=asked.shown) else ()
        waited = self._steps.restarted() if hit.signature.key in RESTARTS else ()
        return [*waited, *self._said(asked.shown, asked, hit)]

    def _said(self, shown: str, asked: Asked, hit: SignatureMatch) -> Sequence[Event]:
        """Return what a line tells, unless that waits or was told often enough."""
        if hit.signature.role is Role.PROGRESS:
            self._flood.progress()
            step, voice = AskedStep(asked, hit), voice_of(hit)
            is_waiting = self._steps.waits_if(step, voice=voice, can_wait=self._can_wait(hit))
            return () if is_waiting else self._events(asked, hit, voice)
        if not asked.is_wrapped and not self._book.open and self._once.is_repeated(hit=hit):
            return ()
        is_full = MARK not in shown and self._flood.is_full(hit, asked, self._book.open)
        return () if is_full else self._events(asked, hit)

    def _counted(self, read: Read, wrapped: Wrappings) -> Iterator[Event]:
        """Yield of lines that were counted the last ones, each with its number."""
        for last in self._flood.rest():
            asked = Asked(read, last.index, last.text, is_wrapped=last.index in wrapped)
            hit = self._match(line_cleaning.cut(line=last.text), asked)
            if hit is not None and hit.signature.role is not Role.PROGRESS:
                event = self._gpus.identified(event_of(line=self._named(asked.line()), hit=hit))
                yield replace(event, count=last.count)

    def _events(
        self, asked: Asked, hit: SignatureMatch | None, voice: Voice | None = None
    ) -> list[Event]:
        """Return what a line tells that is worth parsing."""
        if hit is not None and voice is None:
            self._told_lines[hit.signature.key] += 1
        line, told = self._named(asked.line()), []
        if line.dialect == "nccl" and MARK in line.text:
            told = self._steps.waited()  # named by what was known when they were printed
            if self._state.identities.note(host=line.host, pid=line.pid, text=line.text):
                line = self._named(line)
                self._once.forget_prefixes()
        event = self._gpus.identified(event_of(line=line, hit=hit)) if hit else None
        if event is not None and event.signature in WORKERS:
            self._state.identities.note_worker(said=event.fields)
        if event is not None and voice is not None:
            event = self._state.paces.told(voice=voice, event=event)
            told += filter(None, [lost_loss.lost(event=event)])
        told += self._book.see(line=line, event=event)
        shown = None if asked.is_wrapped else hit
        return [one for one in told if self._once.is_new(event=one, hit=shown)]

    def _can_wait(self, hit: SignatureMatch) -> bool:
        """Return whether a line is progress that the next of its voice may make worthless. No
        record begins with progress.
        """
        if not self._has_voices or not is_plain(hit):
            return False
        return not self._book.is_concerned(text=hit.found.string)


def read_source(*, origin: Origin, text: str, stamps: Sequence[datetime] | None = None) -> Reading:
    """Return what a whole source says."""
    if not text:
        return Reading(origin=origin)
    reader = StreamReader(origin=origin)
    first = reader.feed(text=text, first_number=1, stamps=stamps)
    last = reader.close()
    return reading_of(
        origin=origin,
        events=[*first.events, *first.progress, *last.events, *last.progress],
        extents=first.extents,
        points=first.points,
    )
