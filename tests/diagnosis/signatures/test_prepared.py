"""Pieces that were looked at ahead, and read by readers that hand their state on, say what one
reader says of them.
"""
# ruff: noqa: E501  lines of logs keep their length

import random
from collections.abc import Sequence
from itertools import pairwise
from multiprocessing import Pipe
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.model import Origin, Reading
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.match import LITTLE_BYTES, SignatureMatcher
from apps.diagnosis.signatures.read import StreamReader
from apps.diagnosis.signatures.reader_state import HandedState, LearntPrefix
from apps.offline.packed_readings import packed, packed_state, unpacked, unpacked_state
from apps.offline.steps_beside import SIGNS
from tests.diagnosis.signatures.blocks import BLOCKS
from tests.diagnosis.signatures.record_texts import CHAIN, TABLE, TRIPLE

ORIGIN = Origin(source="log")
TESTS = Path(__file__).parents[2]
LOGS = sorted(path.relative_to(TESTS) for path in TESTS.rglob("*.log"))
STEP = "[rank{0}]: [2026-11-09 11:{1:02}:{2:02}][INFO][trainer.py:410] step {3} loss 2.3{3:03} grad_norm 0.153 tokens/s 8{3}"
INIT = "gpu00{0}:40{0}:41{0} [{0}] NCCL INFO comm 0x7f rank {0} nranks 4 cudaDev {0} nvmlDev {0} busId 1{0}000 commId 0x1 - Init COMPLETE"
CHANNEL = "gpu00{0}:40{0}:41{0} [{0}] NCCL INFO Channel 01/0 : {0}[{0}] -> 3[{0}] [send] via NET/IB/{0}/GDRDMA"
WARN = "gpu00{0}:40{0}:41{0} [{0}] NCCL WARN socketProgress: Connection closed by remote peer 10.4.0.{0}<{1}>"
DOCKER = '{{"log":"{0}{1}","stream":"stderr","time":"2026-11-09T03:{2:02}:00.1Z"}}'
CRI = "2026-11-09T03:{0:02}:00.123456789Z stderr {1} {2}"


@pytest.fixture(scope="module")
def knowing() -> SignatureMatcher:
    """Return a matcher that learns shapes from the first line on."""
    matcher = SignatureMatcher(catalog=load_catalog(), may_accelerate=False)
    matcher._searched_bytes = LITTLE_BYTES
    return matcher


def session_lines() -> list[str]:
    """Return what four ranks print: set-up, steps, records, warnings, and a second attempt."""
    dice, lines = random.Random(7), []  # noqa: S311  repeatable, not secret
    for attempt in range(2):
        for rank in range(4):
            lines += [CHANNEL.format(rank), INIT.format(rank), *[CHANNEL.format(rank)] * 3]
        for step in range(300):
            lines.append(STEP.format(step % 4, step // 60, step % 60, 40 * attempt + step))
            if step % 40 == 30:
                lines += [WARN.format(dice.randrange(4), dice.randrange(9)) for _ in range(30)]
            if step % 90 == 70:
                lines += [CHAIN, "noise", TABLE, TRIPLE]
    return "\n".join(lines).split("\n")


def wrapped_lines() -> list[str]:
    """Return lines in records of runtimes, some of them in parts."""
    said = CHAIN.replace('"', "'").replace("\\", "/").split("\n")
    docker = [DOCKER.format(line[: 1 + n % 9], "", n % 60) for n, line in enumerate(said)]
    docker += [DOCKER.format(line, "\\n", n % 60) for n, line in enumerate(said)]
    cri = [CRI.format(n % 60, "PF"[n % 2], line) for n, line in enumerate(said)]
    export = ["__CURSOR=s=1", "_HOSTNAME=n1", f"MESSAGE={said[0]}", "", "__CURSOR=s=2"]
    return [*docker * 3, *cri * 3, *export * 20]


def cut(lines: Sequence[str], edges: Sequence[int]) -> list[tuple[int, str]]:
    """Return the number of the first line of each piece, and its text."""
    places = sorted({0, len(lines), *(edge % len(lines) for edge in edges)})
    return [(start + 1, "\n".join(lines[start:end])) for start, end in pairwise(places)]


def readers(count: int, matcher: SignatureMatcher) -> list[StreamReader]:
    return [StreamReader(origin=ORIGIN, matcher=matcher, points_beside=SIGNS) for _ in range(count)]


def alone(pieces: Sequence[tuple[int, str]], matcher: SignatureMatcher) -> list[Reading]:
    (reader,) = readers(1, matcher)
    said = [reader.feed(text=text, first_number=number) for number, text in pieces]
    return [*said, reader.close()]


def sent(value: object) -> object:
    """Return what another process gets."""
    here, there = Pipe(duplex=False)
    with here, there:
        there.send(value)
        return here.recv()


def in_turns(
    pieces: Sequence[tuple[int, str]], matcher: SignatureMatcher, count: int
) -> list[Reading]:
    """Read each piece by the next reader, which looked at it while the others had their turns."""
    ring, said = readers(count, matcher), []
    learnt: list[tuple[LearntPrefix, ...]] = []
    waiting = [
        ring[place].prepared(text=text, first_number=number)
        for place, (number, text) in enumerate(pieces[:count])
    ]
    handed: HandedState | None = None
    for place in range(len(pieces)):
        reader = ring[place % count]
        if handed is not None:
            state = sent(packed_state(handed))
            reader.go_on(handed=unpacked_state(state, ORIGIN, learnt[1 - count :]))  # type: ignore[arg-type]  # as it was sent
        reading = reader.feed_prepared(batch=waiting[place])
        said.append(unpacked(sent(packed(reading))))  # type: ignore[arg-type]  # as it was sent
        handed = reader.handed_on()
        learnt.append(tuple(handed.known_prefixes))
        if place + count < len(pieces):
            number, text = pieces[place + count]
            waiting.append(reader.prepared(text=text, first_number=number))
    return [*said, ring[(len(pieces) - 1) % count].close()]


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("size", [1, 7, 60])
@pytest.mark.parametrize("lines", [session_lines(), wrapped_lines()], ids=["session", "wrapped"])
def test_pieces_of_any_size_say_what_one_reader_says(
    knowing: SignatureMatcher, lines: list[str], size: int, count: int
) -> None:
    pieces = cut(lines, range(0, len(lines), size))
    assert in_turns(pieces, knowing, count) == alone(pieces, knowing)


@given(
    block=BLOCKS,
    edges=st.lists(st.integers(0, 400), min_size=1, max_size=9),
    count=st.integers(2, 4),
)
@settings(max_examples=60, deadline=None)
def test_any_lines_in_any_cuts_say_what_one_reader_says(
    knowing: SignatureMatcher, block: list[str], edges: list[int], count: int
) -> None:
    pieces = cut([*block, *CHAIN.split("\n"), *block, *TABLE.split("\n"), *block], edges)
    assert in_turns(pieces, knowing, count) == alone(pieces, knowing)


@pytest.mark.parametrize("path", LOGS, ids=str)
def test_recorded_logs_say_what_one_reader_says(knowing: SignatureMatcher, path: Path) -> None:
    lines = (TESTS / path).read_bytes().decode("utf-8", "replace").split("\n")
    pieces = cut(lines, range(0, len(lines), max(1, len(lines) // 6)))
    assert in_turns(pieces, knowing, 2) == alone(pieces, knowing)


def test_what_was_looked_at_ahead_is_used(
    knowing: SignatureMatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = session_lines()
    pieces = cut(lines, range(0, len(lines), 60))
    whole = alone(pieces, knowing)

    def again(_self: StreamReader, **_said: object) -> Reading:
        raise AssertionError("a piece was read twice")

    monkeypatch.setattr(StreamReader, "feed", again)
    assert in_turns(pieces, knowing, 2) == whole
