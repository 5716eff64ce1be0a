"""Lines of progress → points of a run: steps, saves and loads as numbers."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isfinite
from operator import itemgetter
from typing import Any, Final, Protocol

from apps.diagnosis.input_values import as_if_utc, whole_number
from apps.diagnosis.model import Event, LogLine, Mark, PointKind, ProgressPoint
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.match import SignatureMatch
from apps.diagnosis.signatures.progress.step_times import Voice

# Every rank of a job may print its steps into one file: a few voices say what the run does.
STEP_VOICES: Final = 4
KINDS: Final[Mapping[str, PointKind]] = {
    **dict.fromkeys(marked(Mark.STEP), PointKind.STEP),
    **dict.fromkeys(marked(Mark.SAVE_BEGINS), PointKind.SAVE_BEGINS),
    **dict.fromkeys(marked(Mark.SAVE_ENDS), PointKind.SAVE_ENDS),
    **dict.fromkeys(marked(Mark.LOAD_BEGINS), PointKind.LOAD_BEGINS),
    **dict.fromkeys(marked(Mark.LOAD_ENDS), PointKind.LOAD_ENDS),
}
CHECKPOINTS: Final = marked(Mark.CHECKPOINT)
# First words of `what` in lines that tell of saves and loads alike.
ENDS: Final = ("saved", "loaded", "finished")
INDEX: Final = itemgetter(0)
MOST_STEP: Final = 2**53
# Sums, means and spans of what is said have to be numbers, too: more is nothing that is measured.
MOST_SAID: Final = 1e100
Named = Callable[[LogLine], LogLine]  # with what its file tells of who speaks
LEAST_SECONDS, MOST_SECONDS = 1e-6, 366 * 86_400.0


class UnparsedStep(Protocol):
    """A line of progress in a batch that is parsed when it is asked for."""

    index: int  # 0-based, in the batch

    def hit(self) -> SignatureMatch:
        """Return its match."""

    def line(self) -> LogLine:
        """Return it parsed."""


@dataclass(slots=True)
class Points:
    """The points of one source, until a batch is read, and the voices that are followed.

    With `beside` only those points are read that stand around lines of such signatures, and the
    first and the last of each batch.
    """

    voices: dict[Voice, None] = field(default_factory=dict)
    found: list[ProgressPoint] = field(default_factory=list)
    beside: frozenset[str] = frozenset()
    unread: list[UnparsedStep] = field(default_factory=list)
    queued: list[Sequence[Any]] = field(default_factory=list)  # steps of a voice, in order

    def see(self, *, step: UnparsedStep, named: Named, voice: Voice) -> None:
        """Remember a line of progress if it is a point of the run; only then it is parsed."""
        key = voice[0]
        kind = kind_of(step.hit()) if key in CHECKPOINTS else KINDS.get(key)
        if kind is None or not self._is_followed(kind, voice):
            return
        if self.beside:
            self.unread.append(step)
        else:
            self._note(kind, named(step.line()), step.hit())

    def is_unread(self, *, voice: Voice) -> bool:
        """Say whether `see` would parse no line of a voice that it met, whatever that says."""
        key = voice[0]
        kind = KINDS.get(key)
        is_point = kind is not None and (kind is not PointKind.STEP or voice in self.voices)
        return key not in CHECKPOINTS and (bool(self.beside) or not is_point)

    def see_all(self, *, steps: Sequence[Any], voice: Voice) -> None:
        """Remember the next steps of such a voice, each a tuple that begins with its index."""
        kind = KINDS.get(voice[0])
        if kind is not None and self._is_followed(kind, voice):
            self.queued.append(steps)

    def taken(
        self,
        *,
        events: Sequence[Event],
        first_number: int,
        known: Callable[[Any], UnparsedStep],
    ) -> tuple[ProgressPoint, ...]:
        """Return what a batch said of the run, whose first line has that number. `known` makes a
        step of what `see_all` took.
        """
        for step in self._worthwhile(events, first_number, known):
            hit = step.hit()
            self._note(kind_of(hit), step.line(), hit)
        found, self.found = tuple(self.found), []
        return found

    def _is_followed(self, kind: PointKind, voice: Voice) -> bool:
        if kind is not PointKind.STEP:
            return True
        if voice not in self.voices and len(self.voices) < STEP_VOICES:
            self.voices[voice] = None
        return voice in self.voices

    def _worthwhile(
        self, events: Sequence[Event], first_number: int, known: Callable[[Any], UnparsedStep]
    ) -> Iterator[UnparsedStep]:
        """Yield of the lines that were left those around each of such events, and the ends."""
        alone = [(step.index, step) for step in self.unread]
        left: list[Any] = sorted(chain(alone, *self.queued), key=INDEX)
        self.unread, self.queued = [], []
        places = list(map(INDEX, left))
        wanted = {0, len(left) - 1}
        for event in events:
            if event.signature in self.beside:
                after = bisect_left(places, event.line.number - first_number)
                wanted |= {after - 1, after}
        for place in sorted(wanted):
            if 0 <= place < len(left):
                step = left[place]
                yield step[1] if len(step) == len(("index", "step")) else known(step)

    def _note(self, kind: PointKind | None, line: LogLine, hit: SignatureMatch) -> None:
        if kind is not None:
            self.found.append(_point(kind=kind, line=line, said=hit.found.groupdict()))

    def dump(self) -> list[object]:
        """Return plain values for a state that can be stored."""
        return [list(voice) for voice in self.voices]

    @classmethod
    def restored(cls, stored: Sequence[Sequence[Any]]) -> "Points":
        """Return the voices of a former `dump`."""
        return cls(voices={(str(key), prefix, tuple(who)): None for key, prefix, who in stored})


def kind_of(hit: SignatureMatch) -> PointKind | None:
    """Return what a line of progress tells of the run, None where it is of another kind."""
    key = hit.signature.key
    if key not in CHECKPOINTS:
        return KINDS.get(key)
    what = (hit.found["what"] or "").casefold()
    is_load, is_end = "load" in what, what.startswith(ENDS)
    if is_load:
        return PointKind.LOAD_ENDS if is_end else PointKind.LOAD_BEGINS
    return PointKind.SAVE_ENDS if is_end else PointKind.SAVE_BEGINS


def _point(*, kind: PointKind, line: LogLine, said: Mapping[str, str | None]) -> ProgressPoint:
    return ProgressPoint(
        kind=kind,
        number=line.number,
        at=line.at or as_if_utc(line.local_at),
        is_local=line.at is None and line.local_at is not None,
        rank=line.rank,
        step=_whole(said, "iteration", "iteration2", "step"),
        seconds=_seconds(said),
        loss=_number(said, "loss"),
        tokens_per_second=_number(said, "tps"),
        tflops=_number(said, "tflops"),
        mfu=_number(said, "mfu"),
        batch=_whole(said, "batch"),
    )


def _seconds(said: Mapping[str, str | None]) -> float | None:
    """Return how long it took, None for what no step, save or load takes."""
    value = _told_seconds(said)
    if value is None or not (value == 0 or LEAST_SECONDS <= value <= MOST_SECONDS):
        return None
    return value


def _told_seconds(said: Mapping[str, str | None]) -> float | None:
    for name, scale in (("step_s", 1), ("spent_s", 1), ("secs", 1), ("spent_ms", 1e-3)):
        if (value := _number(said, name)) is not None:
            return value * scale
    if (value := _number(said, "step_ms")) is not None:
        return value if said.get("time_unit") == "s" else value * 1e-3
    rate = _number(said, "rate")
    if not rate:
        return None
    return 1 / rate if said.get("unit") == "it/s" else rate


def _whole(said: Mapping[str, str | None], *names: str) -> int | None:
    text = next((said[name] for name in names if said.get(name)), None)
    return whole_number(text, most=MOST_STEP) if text else None


def _number(said: Mapping[str, str | None], name: str) -> float | None:
    """Return what a line says, also with an exponent; None for what nobody can reckon with."""
    try:
        value = float((said.get(name) or "").replace(",", ""))
    except ValueError:
        return None
    return value if isfinite(value) and abs(value) <= MOST_SAID else None
