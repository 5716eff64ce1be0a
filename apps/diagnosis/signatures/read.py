"""A source, batch by batch → events, progress and extents. The door of this package."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from apps.diagnosis.logs import line_cleaning
from apps.diagnosis.logs.coverage_spans import measured
from apps.diagnosis.logs.envelopes import Wrappings
from apps.diagnosis.logs.identity import MARK
from apps.diagnosis.logs.parse import parse, shown_lines
from apps.diagnosis.model import (
    Event,
    LogLine,
    Mark,
    Origin,
    Reading,
    Role,
)
from apps.diagnosis.signatures.event_builder import event_of
from apps.diagnosis.signatures.lines import lost_loss
from apps.diagnosis.signatures.lines.batch_reading import reading_of
from apps.diagnosis.signatures.lines.checks import Checks
from apps.diagnosis.signatures.lines.concerned_lines import concerned_lines
from apps.diagnosis.signatures.lines.flood import Flood, minute_around
from apps.diagnosis.signatures.lines.host_lines import is_of_kernel, program_signatures
from apps.diagnosis.signatures.lines.known_gpus import KnownGpus
from apps.diagnosis.signatures.lines.lazy_line import Asked, AskedStep, Read
from apps.diagnosis.signatures.lines.line_sender import voice_of
from apps.diagnosis.signatures.lines.plain_progress import KnownStep, PlainProgress
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
from apps.diagnosis.signatures.reader_state import ReaderState, dump, restore

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
        self._state = restore(data=state, origin=origin) if state else ReaderState()
        self._state.points.beside = points_beside
        self._book = Book(records=self._state.records)
        self._once = ToldOnce(seen=self._state.seen)
        self._gpus = KnownGpus(told=self._state.gpus)
        self._named = self._state.identities.named
        self._steps = StepReader(state=self._state)
        self._has_voices = True  # who speaks stands in the line
        self._flood = Flood()

    @property
    def state(self) -> bytes:
        """Return what the next reader of this source needs to go on exactly here."""
        self._state.records = self._book.open
        return dump(state=self._state)

    def feed(
        self, *, text: str, first_number: int, stamps: Sequence[datetime] | None = None
    ) -> Reading:
        """Return what whole lines, joined by line feeds, say. At least one: "" is an empty line.

        `first_number` is the 1-based number of the first; `stamps` are envelope times, one a line.
        """
        block, wrapped = self._state.unwrapper.unwrap(text=line_cleaning.without_escapes(text=text))
        data = block.encode("utf-8", "replace")
        self._has_voices = not wrapped

        def read(index: int, line: str) -> LogLine:
            return parse(
                text=line,
                origin=self._origin,
                number=first_number + index,
                envelope_at=stamps[index] if stamps and index < len(stamps) else None,
                wrapped=wrapped.get(index),
            )

        self._flood = Flood(around=minute_around(wrapped=wrapped, stamps=stamps))
        events: list[Event] = []

        def stepped(index: int, line: bytes, progress: PlainProgress, voice: Voice) -> None:
            self._checks.read(line)
            step = KnownStep(read, index, line, progress)
            if not self._steps.waits(step, voice=voice):
                events.extend(self._events(Asked(read, index, step.shown()), step.hit(), voice))

        for index, line, candidates, hit in concerned_lines(
            data=data, matcher=self._matcher, book=self._book, stepped=None if wrapped else stepped
        ):
            self._checks.read(line)
            if self._flood.is_repeated(index, line, candidates, self._book.open):
                continue
            told: list[Event] = []
            for shown in shown_lines(raw=line):
                asked = Asked(read, index, shown, is_wrapped=index in wrapped, hit=hit)
                told += self._told(shown, asked, candidates if shown is line else None)
            self._flood.note(first_number + index, told, self._book.open)
            events += told
        events += [*self._steps.waited(), *self._counted(read, wrapped)]
        self._state.last_number = first_number + data.count(b"\n")
        heard = measured(
            data=data,
            first_number=first_number,
            origin=self._origin,
            read=read,
            # What an earlier part began is told here and was heard there.
            told=[event.line for event in events if event.line.number >= first_number],
        )
        points = self._state.points.taken(events=events, first_number=first_number)
        return reading_of(origin=self._origin, events=events, extents=heard, points=points)

    def close(self) -> Reading:
        """Return what a record still open says; nothing follows in this source."""
        events: list[Event] = []
        if rest := self._state.unwrapper.rest():
            text, said = rest

            def read(index: int, line: str) -> LogLine:
                return parse(text=line, origin=self._origin, number=index, wrapped=said)

            asked = Asked(read, self._state.last_number, text, is_wrapped=True)
            events += self._told(text, asked, None)
        return reading_of(origin=self._origin, events=events + self._book.close())

    def _told(self, shown: str, asked: Asked, candidates: Candidates | None) -> Sequence[Event]:
        """Return the events of one shown line. It is parsed only if something asks for it."""
        line, known = shown, candidates
        if len(shown) > line_cleaning.LINE_LIMIT:
            line, known = line_cleaning.cut(line=shown), None
        hit = self._match(line, asked, known)
        if hit is None:
            return self._events(asked, None) if self._book.is_concerned(text=shown) else ()
        waited = self._steps.restarted() if hit.signature.key in RESTARTS else ()
        return [*waited, *self._said(shown, asked, hit)]

    def _match(
        self, line: str, asked: Asked, candidates: Candidates | None = None
    ) -> SignatureMatch | None:
        """Return what a line says: what reads like a program's words is none on a kernel's line."""
        hit = asked.hit
        if hit is None:
            hit = self._matcher.match(line=line, text=asked.text, candidates=candidates)
        is_program = hit is not None and hit.signature.key in program_signatures()
        return None if is_program and is_of_kernel(line=asked.line()) else hit

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
