"""One of several processes that read the same paths, and what it sends."""

import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from apps.diagnosis.model import Reading
from apps.offline.packed_readings import packed
from apps.offline.reading.named_sources import NamedPaths, sources_of
from apps.offline.reading.shared_source import ReaderGone, RingPlace, read_in_turns
from apps.offline.reading.source_reading import read_source
from apps.telemetry.files.unusable_input import UnusableInput

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


@dataclass(frozen=True, slots=True)
class ReadingWork:
    """What every process is told: what there is to read, and what they share."""

    named: Sequence[NamedPaths]
    now: datetime
    sizes: Mapping[int, int]  # of the sources that all read, by their number
    turns: RingPlace
    taken: Any  # how many sources were taken, and how many bytes were read
    read: Any

    def heard(self, size: int) -> None:
        """Count bytes that were read."""
        with self.read.get_lock():
            self.read.value += size


def work_on(pipe: "Connection", work: ReadingWork) -> None:
    """Send what the sources say that are shared or that no other process has taken, then nothing.

    Each is sent with its number and that of the piece, which is None for a whole source.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that waits for this one ends it
    with suppress(BrokenPipeError, ReaderGone):
        try:
            for index, source in enumerate(sources_of(work.named, work.now) if work.sizes else ()):
                if index in work.sizes:
                    send = partial(_send_piece, pipe, index)
                    size = work.sizes[index]
                    read_in_turns(
                        source=source, size=size, turns=work.turns, heard=work.heard, send=send
                    )
            for index, source in enumerate(sources_of(work.named, work.now)):
                if index not in work.sizes and is_free(index, work.taken):
                    told = packed(read_source(source=source, heard=work.heard))
                    pipe.send((index, None, told))
        except UnusableInput as error:
            pipe.send(str(error))
        else:
            pipe.send(None)


def _send_piece(pipe: "Connection", index: int, place: int, said: Reading | None) -> None:
    pipe.send((index, place, None if said is None else packed(said)))


def is_free(index: int, taken: Any) -> bool:
    """Take a source. All walk in one order, so those before the highest one taken are taken."""
    with taken.get_lock():
        if index < taken.value:
            return False
        taken.value = index + 1
    return True
