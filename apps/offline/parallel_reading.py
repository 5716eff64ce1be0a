"""All sources below some paths → a reading each, on all processors where there is much to read.

Every process walks the same paths. A source that is most of all there is to read is read by all of
them in turns (`shared_source`), the others by whoever takes them first. What is found comes back
over a pipe and is put in the order of the paths, so that how many processes there were can't be
told from the result.
"""

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING

from apps.diagnosis.model import Reading
from apps.diagnosis.signatures.lines.line_shapes import shapes_of
from apps.diagnosis.signatures.match import default_matcher
from apps.offline.packed_readings import unpacked
from apps.offline.reading.named_sources import NamedPaths, large_sources, size_of, sources_of
from apps.offline.reading.reading_worker import ReadingWork, work_on
from apps.offline.reading.shared_source import RingPlace, SharedReading
from apps.offline.reading.source_reading import read_source
from apps.telemetry.files.text_sources import SourceText
from apps.telemetry.files.unusable_input import UnusableInput

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

# Less is read before further processes have started.
LEAST_BYTES = 32 << 20
# Smaller sources of many are read by one process each, which costs nothing beside.
LEAST_SHARED_BYTES, SHARED_PART = LEAST_BYTES, 4
MOST_PROCESSES = 16
LOOK_SECONDS = 0.1
ENDED_EARLY = "a reading process ended early: is there memory left?"
STDIN = "-"
Heard = Callable[[int, int], None]  # bytes read, of how many


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
        size_of(Path(path), follows_links=each.follows_links)
        for each in named
        for path in each.paths
        if path != STDIN
    )
    is_piped = any(STDIN in each.paths for each in named)
    count = processes or min(_processors(), MOST_PROCESSES)
    tell = heard or _nobody
    is_shared = count > 1 and not is_piped and (processes is not None or total >= LEAST_BYTES)
    if is_shared:
        found = _together(named=named, now=now, count=count, tell=tell, total=total)
        if found is not None:
            return found
    return list(_one_by_one(sources_of(named, now, stdin), tell, 0 if is_piped else total))


def _processors() -> int:
    """Return on how many processors this process may run."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _nobody(read: int, total: int) -> None:
    """Hear nothing."""


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
) -> list[Reading] | None:
    """Read in several processes and put what they send in order; None where there can't be so
    many.
    """
    import multiprocessing  # noqa: PLC0415  only for much text

    large = large_sources(
        named=named, now=now, least=max(LEAST_SHARED_BYTES, total // count // SHARED_PART)
    )
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else None)
    taken, read = context.Value("q", 0), context.Value("q", 0)
    shapes_of(default_matcher()).prepare()  # once: processes that are forked share its pages
    gc.freeze()
    running: list[BaseProcess] = []
    pipes: list[Connection] = []
    try:
        ring = [context.Pipe(duplex=False) for _ in range(count)]
        for place in range(count):
            here, there = context.Pipe(duplex=False)
            turns = RingPlace(place, count, ring[place][0], ring[(place + 1) % count][1])
            sizes = {index: size for index, (size, _) in large.items()}
            work = ReadingWork(named, now, sizes, turns, taken, read)
            process: BaseProcess = context.Process(target=work_on, args=(there, work), daemon=True)
            process.start()
            there.close()
            running.append(process)
            pipes.append(here)
        shared = {index: SharedReading(origin) for index, (_, origin) in large.items()}
        found = _received(pipes, shared, lambda: tell(read.value, total))
    except OSError:  # no room for so many processes
        return None
    finally:
        for process in running:
            process.terminate()
            process.join()
        gc.unfreeze()
    tell(total, total)
    return [found[index] for index in sorted(found)]


def _received(
    pipes: Sequence["Connection"],
    shared: Mapping[int, SharedReading],
    look: Callable[[], None],
) -> dict[int, Reading]:
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
                raise UnusableInput(ENDED_EARLY) from None
            if isinstance(said, str):
                raise UnusableInput(said)
            if said is None:
                is_done[pipe] = True
                continue
            index, place, told = said
            if place is None:
                found[index] = unpacked(told)
            else:
                shared[index].add(place, None if told is None else unpacked(told))
        look()
    if not all(each.is_whole for each in shared.values()):
        raise UnusableInput(ENDED_EARLY)
    return found | {index: each.reading() for index, each in shared.items()}
