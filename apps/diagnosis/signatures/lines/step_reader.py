"""Lines of progress of one source, as they are met: the pace of each voice, the points of the run,
and the latest of each voice, which waits until something else is told.

Of a voice that waits the steps are read together, when that is over: one by one they take several
times as long.
"""

from collections.abc import Callable, Sequence

from apps.diagnosis.model import Event, ProgressPoint
from apps.diagnosis.signatures.event_builder import event_of
from apps.diagnosis.signatures.lines.lazy_line import AskedStep, Read
from apps.diagnosis.signatures.lines.plain_progress import KnownStep, QueuedStep
from apps.diagnosis.signatures.lines.waiting_progress import WaitingProgress
from apps.diagnosis.signatures.progress.progress_points import UnparsedStep
from apps.diagnosis.signatures.progress.step_places import StepPlaces, places_in
from apps.diagnosis.signatures.progress.step_times import Voice
from apps.diagnosis.signatures.reader_state import ReaderState


class StepReader:
    """Take steps in the order of their lines; what they say is added to `state`.

    What `queues` has a queue for may be added to that instead, behind what was before.
    """

    def __init__(self, *, state: ReaderState) -> None:
        self._paces, self._points = state.paces, state.points
        self._named, self._waiting = state.identities.named, WaitingProgress()
        self._read: Read | None = None
        self.queues: dict[Voice, list[QueuedStep]] = {}

    def begin(self, *, read: Read) -> None:
        """Take steps of a batch whose lines `read` parses."""
        self._read = read

    def waits(self, step: KnownStep, *, voice: Voice) -> bool:
        """Take a step that its shape tells of; say whether it waits now, else it is told."""
        self._see(step, step.text, step.progress.places, voice)
        is_waiting = self._waiting.can_wait(step, voice)
        if voice in self._waiting.latest and self._points.is_unread(voice=voice):
            self.queues[voice] = []
        return is_waiting

    def waits_if(self, step: AskedStep, *, voice: Voice, can_wait: bool) -> bool:
        """Do the same with one whose match was searched for, if such a step can wait."""
        self._take(voice)
        found = step.hit().found
        self._see(step, found.data, lambda: places_in(found), voice)
        return can_wait and self._waiting.can_wait(step, voice)

    def waited(self) -> list[Event]:
        """Return the latest progress of each voice that waits, and forget them."""
        for voice in self.queues:
            self._take(voice)
        self.queues.clear()
        return [
            self._paces.told(
                voice=voice, event=event_of(line=self._named(step.line()), hit=step.hit())
            )
            for voice, step in self._waiting.taken()
        ]

    def restarted(self) -> list[Event]:
        """Return the same, with the times of the steps before, which are forgotten."""
        waited = self.waited()
        self._paces.restart()
        return waited

    def points(self, *, events: Sequence[Event], first_number: int) -> tuple[ProgressPoint, ...]:
        """Return what the batch said of the run, whose first line has that number."""
        return self._points.taken(events=events, first_number=first_number, known=self._known)

    def _known(self, step: QueuedStep) -> KnownStep:
        if self._read is None:
            raise RuntimeError("no batch was begun")
        return KnownStep(self._read, *step)

    def _take(self, voice: Voice) -> None:
        """Read what is queued of a voice."""
        queued = self.queues.get(voice)
        if not queued:
            return
        self.queues[voice] = []
        self._paces.note_all(voice=voice, steps=queued)
        self._points.see_all(steps=queued, voice=voice)
        self._waiting.latest[voice] = self._known(queued[-1])

    def _see(
        self, step: UnparsedStep, line: bytes, places: Callable[[], StepPlaces], voice: Voice
    ) -> None:
        self._paces.note(voice=voice, line=line, places=places)
        self._points.see(step=step, named=self._named, voice=voice)
