"""What reading a body costs, measured where nothing else runs: in a process forked for it.

The body is made in another process and handed over as a file, so that what its making leaves in the
heap hides nothing. Memory is the highest the process held beyond what it held before; time is that
of the processor, never the clock's.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from operator import attrgetter
from pathlib import Path

MEBIBYTE = 2**20
# What any body may take, beside itself.
MEMORY, SECONDS = 64 * MEBIBYTE, 1.0
BUSY = 2.0  # beside other work the same instructions take up to twice as long
# Far above every bound: what a reader without one would take stays the test's own affair.
MOST_MEMORY = 3 * 2**30
MOST_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What became of one attempt."""

    name: str
    sent_bytes: int
    memory: int
    seconds: float
    answer: str
    turn_seconds: float = 0.0  # the longest of them, where others have theirs in between


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A body, and who reads it; `small` is one that lets everything be loaded beforehand."""

    name: str
    make: Callable[[], bytes]
    read: Callable[[bytes], str]
    small: bytes
    seconds: float = 0.0  # more, for each of its mebibytes
    copies: int = 0  # more memory, by its size


_turns: list[float] = []


@contextmanager
def turn() -> Iterator[None]:
    """Measure what is done at once of a body that is read bit by bit, others in between."""
    began = time.process_time()
    yield
    _turns.append(time.process_time() - began)


def faults(*, attempt: Attempt, cost: Cost) -> list[str]:
    """Return in what an attempt took more than it may."""
    size = cost.sent_bytes
    memory = MEMORY + attempt.copies * size
    seconds = BUSY * (SECONDS + attempt.seconds * size / MEBIBYTE)
    found = [f"{cost.name}: {cost.memory} bytes, not {memory}"] if cost.memory > memory else []
    if cost.seconds > seconds:
        found.append(f"{cost.name}: {cost.seconds} s of processor time, not {seconds:.2f}")
    if cost.turn_seconds > BUSY * SECONDS:
        found.append(f"{cost.name}: {cost.turn_seconds} s at once, not {BUSY * SECONDS:.2f}")
    return found


def table(*, costs: Iterable[Cost]) -> Iterator[str]:
    """Yield the rows of a table in Markdown: what was tried, and what came of it."""
    yield "| attempt | MiB sent | MiB of memory | s of processor | s at once | answer |"
    yield "|---|---|---|---|---|---|"
    for cost in costs:
        sent, memory = cost.sent_bytes / MEBIBYTE, cost.memory / MEBIBYTE
        at_once = cost.turn_seconds or cost.seconds
        yield (
            f"| {cost.name} | {sent:.2f} | {memory:.0f} | {cost.seconds:.2f} | {at_once:.2f} "
            f"| {cost.answer} |"
        )


def card(*, costs: Iterable[Cost], day: str) -> str:
    """Return a section in Markdown: of each kind of body the dearest attempts that were tried."""
    kinds: dict[str, list[Cost]] = {}
    for cost in costs:
        kinds.setdefault(cost.name.partition(",")[0], []).append(cost)
    tried = sum(map(len, kinds.values()))
    lines = [
        "## What the dearest bodies cost",
        "",
        f"{tried} bodies of at most 16 MiB, hostile and honest, each read in a process of its own",
        "as the portal reads it, without the rows that it writes: processor time, and memory",
        f"beside the body, {day} (`python -m tests.contracts.amplification --card`). A worker",
        "reads 1 MiB at a time, others' work in between: *at once* is the longest of those.",
        "",
        "| kind | tried | most seconds | of | at once | most MiB | of |",
        "|---|---|---|---|---|---|---|",
    ]
    for kind, own in sorted(kinds.items()):
        slow, large = max(own, key=attrgetter("seconds")), max(own, key=attrgetter("memory"))
        at_once = max(each.turn_seconds or each.seconds for each in own)
        of_slow, of_large = (each.name.partition(", ")[2] for each in (slow, large))
        lines.append(
            f"| {kind} | {len(own)} | {slow.seconds:.2f} | {of_slow} | {at_once:.2f} "
            f"| {large.memory / MEBIBYTE:.0f} | {of_large} |"
        )
    bit_by_bit = [each for each in chain(*kinds.values()) if each.turn_seconds and each.seconds > 1]
    lines += ["", "| read bit by bit | seconds in all | at once | MiB |", "|---|---|---|---|"]
    lines += [
        f"| {each.name} | {each.seconds:.2f} | {each.turn_seconds:.2f} "
        f"| {each.memory / MEBIBYTE:.0f} |"
        for each in bit_by_bit
    ]
    return "\n".join(lines)


def measured(*, names: Sequence[str]) -> Iterator[Cost]:
    """Yield the cost of each attempt, measured by a fresh interpreter."""
    told = subprocess.run(  # noqa: S603  our own interpreter, our own module
        [sys.executable, "-m", "tests.contracts.amplification", *names],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    yield from (Cost(**json.loads(line)) for line in told.splitlines() if line.startswith("{"))


def run(*, attempt: Attempt) -> Cost:
    """Make the body in one process, read it in another."""
    with tempfile.TemporaryDirectory() as folder:
        body, told = Path(folder) / "body", Path(folder) / "told"
        _apart(lambda: body.write_bytes(attempt.make()))
        _apart(lambda: told.write_text(json.dumps(asdict(_read(attempt, body)))))
        if not told.exists():
            size = body.stat().st_size
            return Cost(
                name=attempt.name, sent_bytes=size, memory=MOST_MEMORY, seconds=MOST_SECONDS,
                answer="the process died",
            )  # fmt: skip
        return Cost(**json.loads(told.read_text()))


def _apart(work: Callable[[], object]) -> None:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def _read(attempt: Attempt, path: Path) -> Cost:
    _limit()
    attempt.read(attempt.small)
    _turns.clear()
    body = path.read_bytes()
    before, began = _reset(), time.process_time()
    try:
        answer = attempt.read(body)
    except MemoryError:
        answer = "out of memory"
    seconds = time.process_time() - began
    return Cost(
        name=attempt.name, sent_bytes=len(body), memory=_field("VmHWM") - before,
        seconds=round(seconds, 3), answer=answer, turn_seconds=round(max(_turns, default=0.0), 3),
    )  # fmt: skip


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (2 * MOST_MEMORY, 2 * MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def _reset() -> int:
    """Let the mark of the highest use begin anew, and return what is used now."""
    Path("/proc/self/clear_refs").write_text("5")
    return _field("VmRSS")


def _field(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    line = next(each for each in lines if each.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024
