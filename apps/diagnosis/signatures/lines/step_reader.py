"""Lines of progress of one source, as they are met: the pace of each voice, the points of the run,
and the latest of each voice, which waits until something else is told."""

from collections.abc import Callable

from apps.diagnosis.model import Event
from apps.diagnosis.signatures.event_builder import event_of
from apps.diagnosis.signatures.lines.lazy_line import AskedStep
from apps.diagnosis.signatures.lines.plain_progress import KnownStep
from apps.diagnosis.signatures.lines.waiting_progress import WaitingProgress
from apps.diagnosis.signatures.progress.progress_points import UnparsedStep
from apps.diagnosis.signatures.progress.step_places import StepPlaces, places_in
from apps.diagnosis.signatures.progress.step_times import Voice
from apps.diagnosis.signatures.reader_state import ReaderState


class StepReader:
    """Take steps in the order of their lines; what they say is added to `state`."""

    def __init__(self, *, state: ReaderState) -> None:
        self._paces, self._points = state.paces, state.points
        self._named, self._waiting = state.identities.named, WaitingProgress()

    def waits(self, step: KnownStep, *, voice: Voice) -> bool:
        """Take a step that its shape tells of; say whether it waits now, else it is told."""
        self._see(step, step.text, step.progress.places, voice)
        return self._waiting.can_wait(step, voice)

    def waits_if(self, step: AskedStep, *, voice: Voice, can_wait: bool) -> bool:
        """Do the same with one whose match was searched for, if such a step can wait."""
        found = step.hit().found
        self._see(step, found.data, lambda: places_in(found), voice)
        return can_wait and self._waiting.can_wait(step, voice)

    def waited(self) -> list[Event]:
        """Return the latest progress of each voice that waits, and forget them."""
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

    def _see(
        self, step: UnparsedStep, line: bytes, places: Callable[[], StepPlaces], voice: Voice
    ) -> None:
        self._paces.note(voice=voice, line=line, places=places)
        self._points.see(step=step, named=self._named, voice=voice)
