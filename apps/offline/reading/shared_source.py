"""One large source, read by several processes in turns.

All of them cut the same bytes into the same pieces. Each looks ahead at its own pieces, which takes
most of the time; what must know all lines before is done when the turn of a piece comes, with the
state that the process of the piece before hands on. So a source says the same whoever reads it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from apps.diagnosis.model import Origin, Reading
from apps.diagnosis.signatures.read import StreamReader
from apps.diagnosis.signatures.reader_state import LearntPrefix
from apps.offline.condensed_reading import Condenser
from apps.offline.packed_readings import packed_state, unpacked_state
from apps.offline.steps_beside import SIGNS
from apps.telemetry.files.text_sources import SourceText

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# What was learnt of prefixes in the turns of the others, the latest last.
Learnt = tuple[tuple[LearntPrefix, ...], ...]


class ReaderGone(Exception):
    """Say that the process that waits for this one has ended."""


@dataclass(frozen=True, slots=True)
class RingPlace:
    """The place of one of `count` processes in their ring."""

    place: int
    count: int
    before: "Connection"
    behind: "Connection"

    def wait(self) -> Any:
        """Return what the process before hands on. Raises ReaderGone."""
        from multiprocessing import parent_process  # noqa: PLC0415  only for much text
        from multiprocessing.connection import wait  # noqa: PLC0415

        parent = parent_process()
        ends: list[Any] = [self.before] if parent is None else [self.before, parent.sentinel]
        if self.before not in wait(ends):
            raise ReaderGone
        return self.before.recv()


def read_in_turns(
    *,
    source: SourceText,
    size: int,
    turns: RingPlace,
    heard: Callable[[int], None],
    send: Callable[[int, Reading | None], None],
) -> None:
    """Read of the first `size` bytes of a source those pieces whose turn is this process's.

    `send` gets the number of each piece, counted from 0, and what it says; then, from the process
    that is last, what is told at the end, and None behind that.
    """
    reader = StreamReader(origin=source.origin, points_beside=SIGNS)
    pieces = _own(source, size, turns, heard)
    learnt: Learnt = ()
    place, is_turn = 0, turns.place == 0
    while True:
        ahead = [
            reader.prepared(text=text, first_number=number) for number, text in islice(pieces, 1)
        ]
        if not is_turn:
            handed = turns.wait()
            if handed[0] is None:
                _pass_on(turns, handed[1])
                return
            place, state, learnt = handed
            reader.go_on(handed=unpacked_state(state, source.origin, learnt))
        is_turn = False
        if not ahead:
            send(place, reader.close())
            send(place + 1, None)
            _pass_on(turns, turns.count - 1)
            return
        said = reader.feed_prepared(batch=ahead.pop())  # frees it before the next one
        handed_on = reader.handed_on()
        latest = (*learnt, tuple(handed_on.known_prefixes))[1 - turns.count :]
        turns.behind.send((place + 1, packed_state(handed_on), latest))
        send(place, said)


def _pass_on(turns: RingPlace, others: int) -> None:
    """Tell the others that the source is over."""
    if others:
        turns.behind.send((None, others - 1))


def _own(
    source: SourceText, size: int, turns: RingPlace, heard: Callable[[int], None]
) -> Iterator[tuple[int, str]]:
    """Yield of the pieces those of this process: the number of the first line, and the text."""
    number, position = 1, 0
    for index, piece in enumerate(source.pieces_within(size)):
        before, position = position, source.position()
        if index % turns.count == turns.place:
            yield number, piece.text()
            heard(position - before)
        number += piece.line_count


@dataclass(slots=True)
class SharedReading:
    """What several processes say of one source, put in order and condensed."""

    origin: Origin
    _condenser: Condenser = field(init=False)
    _early: dict[int, Reading | None] = field(default_factory=dict)
    _next: int = 0
    is_whole: bool = False

    def __post_init__(self) -> None:
        self._condenser = Condenser(origin=self.origin)

    def add(self, index: int, reading: Reading | None) -> None:
        """Take what a piece says, in any order; None where there is no such piece any more."""
        self._early[index] = reading
        while self._next in self._early:
            said = self._early.pop(self._next)
            self._next += 1
            if said is None:
                self.is_whole = True
            else:
                self._condenser.add(said)

    def reading(self) -> Reading:
        """Return what all pieces said."""
        return self._condenser.reading()
