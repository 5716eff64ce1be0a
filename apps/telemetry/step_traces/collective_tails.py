"""Lines of the NCCL Inspector in logs → the latest collectives of each rank, in bounded room.

A job prints thousands of them a second. What stays depends on what was told alone, not on the order
in which it came: of each rank the highest sequence numbers.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Final

import orjson
import zstandard

from apps.training.stragglers.importers.inspector import CollectiveTiming, read_inspector
from apps.training.stragglers.step_trace import BadTrace

MARK: Final = b'"coll_perf"'
PER_RANK: Final = 256
MOST_RANKS: Final = 512  # of one log, over all communicators
LONGEST_LINE: Final = 16_384  # those of the Inspector have some hundred letters
MOST_NUMBER: Final = 2**53
LONGEST_NAME: Final = 64  # of a communicator and of what it does
LONGEST_HOST: Final = 253
MOST_BYTES: Final = 64 * 2**20
LEVEL: Final = 3


def collectives_in(text: bytes) -> Iterator[CollectiveTiming]:
    """Yield the collectives of a block of lines; a line that is none of them says nothing."""
    place = text.find(MARK)
    while place >= 0:
        first = text.rfind(b"\n", 0, place) + 1
        last = text.find(b"\n", place)
        last = len(text) if last < 0 else last
        yield from _of_line(text[first:last])
        place = text.find(MARK, last)


def _of_line(line: bytes) -> Iterator[CollectiveTiming]:
    """Yield what a line tells; before its JSON may stand what an agent puts there."""
    begin = line.find(b"{")
    if begin < 0 or len(line) > LONGEST_LINE:
        return
    try:
        told = read_inspector(name="", lines=[line[begin:].decode().strip()])
    except (BadTrace, UnicodeDecodeError, RecursionError):
        return
    yield from filter(_is_sane, told)


def _is_sane(told: CollectiveTiming) -> bool:
    """Say whether its numbers and names are such as the Inspector prints."""
    numbers = (told.sequence, told.rank, told.rank_count, told.message_bytes, told.seconds)
    times = (told.begun_seconds or 0.0, told.ended_seconds or 0.0)
    names = (told.communicator, told.collective)
    return (
        max(*numbers, *times) < MOST_NUMBER
        and all(_is_name(each, LONGEST_NAME) for each in names)
        and _is_name(told.host, LONGEST_HOST)
    )


def _is_name(text: str, longest: int) -> bool:
    """Say whether a name has the letters of one: another's take four bytes each."""
    return len(text) <= longest and text.isascii() and text.isprintable()


def latest(timings: Iterable[CollectiveTiming]) -> tuple[CollectiveTiming, ...]:
    """Return of each rank of each communicator the latest, the same from any order."""
    ranks: dict[tuple[str, int], set[CollectiveTiming]] = defaultdict(set)
    for each in timings:
        ranks[each.communicator, each.rank].add(each)
    return tuple(
        timing
        for key in sorted(ranks)[:MOST_RANKS]
        for timing in sorted(ranks[key], key=_order)[-PER_RANK:]
    )


def _order(each: CollectiveTiming) -> tuple[int, str, float, str, int, float, int, float]:
    """Return what puts collectives in one order: any two differ in it."""
    begun, ended = (-1.0 if at is None else at for at in (each.begun_seconds, each.ended_seconds))
    return (
        *(each.sequence, each.collective, begun),
        *(each.host, each.message_bytes, each.seconds, each.rank_count, ended),
    )


def packed(timings: Sequence[CollectiveTiming]) -> bytes:
    """Return collectives as they are kept."""
    return zstandard.compress(orjson.dumps([astuple(each) for each in timings]), LEVEL)


def unpacked(body: bytes | memoryview) -> tuple[CollectiveTiming, ...]:
    """Return what is kept."""
    if not body:
        return ()
    plain = zstandard.ZstdDecompressor().decompress(bytes(body), max_output_size=MOST_BYTES)
    names = CollectiveTiming.__slots__
    return tuple(
        CollectiveTiming(**dict(zip(names, each, strict=True))) for each in orjson.loads(plain)
    )
