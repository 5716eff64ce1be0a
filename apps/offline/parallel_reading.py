"""All sources below some paths → a reading each, on all processors where there is much to read.

Every process walks the same paths and reads the sources that no other has taken. What it found
comes back over a pipe and is put in the order of the paths, so that how many processes there were
can't be told from the result.
"""

import gc
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from apps.diagnosis.model import Reading, Stream
from apps.diagnosis.signatures.lines.line_shapes import shapes_of
from apps.diagnosis.signatures.match import default_matcher
from apps.diagnosis.signatures.read import StreamReader
from apps.offline.condensed_reading import Condenser
from apps.offline.packed_readings import packed, unpacked
from apps.offline.steps_beside import SIGNS
from apps.telemetry.files.folder_files import files_in
from apps.telemetry.files.text_sources import SourceText, open_paths
from apps.telemetry.files.unusable_input import UnusableInput

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# Less is read before further processes have started.
LEAST_BYTES = 32 << 20
MOST_PROCESSES = 16
LOOK_SECONDS = 0.1
STDIN = "-"
Heard = Callable[[int, int], None]  # bytes read, of how many


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPaths:
    """Paths that a person named, and what was said about all of them."""

    paths: tuple[str, ...]
    stream: Stream | None = None
    zone: str | None = None
    follows_links: bool = False  # also those that lead out of a folder


def read_paths(
    *,
    named: Sequence[NamedPaths],
    now: datetime,
    stdin: IO[bytes] | None = None,
    heard: Heard | None = None,
    processes: int | None = None,
) -> list[Reading]:
    """Return what each source says, in the order of the paths. Raises UnusableInput.

    `heard` is called again and again with the bytes read and their total, which is zero where
    nobody knows it.
    """
    total = sum(
        _size(Path(path), follows_links=each.follows_links)
        for each in named
        for path in each.paths
        if path != STDIN
    )
    is_piped = any(STDIN in each.paths for each in named)
    count = processes or min(_processors(), MOST_PROCESSES)
    tell = heard or _nobody
    if count == 1 or is_piped or (processes is None and total < LEAST_BYTES):
        return list(_one_by_one(_sources(named, now, stdin), tell, 0 if is_piped else total))
    return _together(named=named, now=now, count=count, tell=tell, total=total)


def _processors() -> int:
    """Return on how many processors this process may run."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _nobody(read: int, total: int) -> None:
    """Hear nothing."""


def _sources(
    named: Sequence[NamedPaths], now: datetime, stdin: IO[bytes] | None = None
) -> Iterator[SourceText]:
    return chain.from_iterable(
        open_paths(
            paths=each.paths,
            stream=each.stream,
            zone=each.zone,
            now=now,
            stdin=stdin,
            follows_links=each.follows_links,
        )
        for each in named
    )


def _size(path: Path, *, follows_links: bool) -> int:
    if path.is_dir():
        inside = files_in(root=path, follows_links=follows_links)
        return sum(one.stat().st_size for one in inside)
    return path.stat().st_size if path.exists() else 0


def _not_counted(size: int) -> None:
    """Hear nothing."""


def read_source(*, source: SourceText, heard: Callable[[int], None] = _not_counted) -> Reading:
    """Return what one source says, condensed; `heard` gets the bytes of each piece."""
    condenser = Condenser(origin=source.origin)
    # All steps would be parsed to be dropped: most of what there is to read.
    reader = StreamReader(origin=source.origin, points_beside=SIGNS)
    number, position = 1, source.position()
    for piece in source.pieces():
        condenser.add(reader.feed(text=piece, first_number=number))
        number += piece.count("\n") + 1
        before, position = position, source.position()
        heard(position - before)
    condenser.add(reader.close())
    return condenser.reading()


def _one_by_one(sources: Iterator[SourceText], tell: Heard, total: int) -> Iterator[Reading]:
    read = 0

    def heard(size: int) -> None:
        nonlocal read
        read += size
        tell(read, total)

    for source in sources:
        yield read_source(source=source, heard=heard)


def _together(
    *, named: Sequence[NamedPaths], now: datetime, count: int, tell: Heard, total: int
) -> list[Reading]:
    """Read in several processes and put what they send in order."""
    import multiprocessing  # noqa: PLC0415  only for much text

    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else None)
    taken, read = context.Value("q", 0), context.Value("q", 0)
    shapes_of(default_matcher()).prepare()  # once: processes that are forked share its pages
    gc.freeze()
    running, pipes = [], []
    for _ in range(count):
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(there, named, now, taken, read), daemon=True)
        process.start()
        there.close()
        running.append(process)
        pipes.append(here)
    try:
        found = _received(pipes, lambda: tell(read.value, total))
    finally:
        for process in running:
            process.terminate()
            process.join()
        gc.unfreeze()
    tell(total, total)
    return [found[index] for index in sorted(found)]


def _received(pipes: Sequence["Connection"], look: Callable[[], None]) -> dict[int, Reading]:
    """Return readings by the number of their source. Raises what ended a process."""
    from multiprocessing.connection import wait  # noqa: PLC0415  only for much text

    found: dict[int, Reading] = {}
    is_done = dict.fromkeys(pipes, False)
    while not all(is_done.values()):
        ready = wait([one for one in pipes if not is_done[one]], timeout=LOOK_SECONDS)
        for pipe in [one for one in pipes if one in ready]:
            try:
                said = pipe.recv()
            except EOFError:
                raise UnusableInput(
                    "a reading process ended early: is there memory left?"
                ) from None
            if isinstance(said, str):
                raise UnusableInput(said)
            if said is None:
                is_done[pipe] = True
            else:
                found[said[0]] = unpacked(said[1])
        look()
    return found


def _work(
    pipe: "Connection", named: Sequence[NamedPaths], now: datetime, taken: Any, read: Any
) -> None:
    """Send what the sources say that no other process has taken, then nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that waits for this one ends it

    def heard(size: int) -> None:
        with read.get_lock():
            read.value += size

    with suppress(BrokenPipeError):
        try:
            for index, source in enumerate(_sources(named, now)):
                if _is_free(index, taken):
                    pipe.send((index, packed(read_source(source=source, heard=heard))))
        except UnusableInput as error:
            pipe.send(str(error))
        else:
            pipe.send(None)


def _is_free(index: int, taken: Any) -> bool:
    """Take a source. All walk in one order, so those before the highest one taken are taken."""
    with taken.get_lock():
        if index < taken.value:
            return False
        taken.value = index + 1
    return True
