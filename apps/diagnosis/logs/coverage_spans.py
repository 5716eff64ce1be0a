"""How far each voice of a block was heard, without reading the innocent lines in between."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.model import Extent, LogLine, Origin

# Enough lines from either end to meet a printed time: tracebacks and banners print none.
SAMPLE = 40
PER_VOICE = 2
# Of one block. Of what speaks beyond them only the lines are counted, with those of nobody.
MOST_VOICES = 16_384
RANK = re.compile(rb"\[rank(\d{1,7})\]:", re.ASCII)
TASK = re.compile(rb"^ {0,6}(\d{1,6}): (?=\S)", re.ASCII | re.MULTILINE)
HOST = re.compile(
    rb"^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S{8,24}) "
    rb"([\w.:-]{1,253}) ",
    re.ASCII | re.MULTILINE,
)
Read = Callable[[int, str], LogLine]
Voice = tuple[str, str]  # "rank" or "host", and which


@dataclass(slots=True)
class VoiceCoverage:
    """One voice: how many lines, and where the first and last stand."""

    count: int = 0
    first: list[int] = field(default_factory=list)
    last: deque[int] = field(default_factory=lambda: deque(maxlen=PER_VOICE))


def measured(
    *, data: bytes, first_number: int, origin: Origin, read: Read, told: Sequence[LogLine] = ()
) -> tuple[Extent, ...]:
    """Return an extent per rank (or host) that prefixes lines, and one for lines without prefix.

    `read` parses a line by its 0-based index in the block and its text; `told` are lines that were
    parsed anyway, whose times count, too.
    """
    line_count = data.count(b"\n") + 1
    sample = _sample(data=data, line_count=line_count, read=read)
    voices = _voices(data=data, sample=sample)
    known = _by_voice(told) if voices else {}
    found = [
        _voice(
            name=name,
            count=voices[name].count,
            last_number=first_number + lines[-1][0],
            lines=[read(index, text) for index, text in lines],
            told=known.get(name, ()),
        )
        for name, lines in _ends(data=data, voices=voices)
    ]
    rest = line_count - sum(extent.line_count for extent in found)
    if rest > 0 or not found:
        host = next((line.host for line in sample if line.host), None) if not found else None
        whole = _span(
            lines=[*sample, *(told if not found else ())],
            host=host or origin.host,
            rank=origin.rank,
            line_count=max(rest, 0),
            last_number=first_number + line_count - 1,
        )
        found.append(whole)
    return tuple(found)


def _ends(
    *, data: bytes, voices: Mapping[Voice, VoiceCoverage]
) -> Iterator[tuple[Voice, list[tuple[int, str]]]]:
    """Yield each voice with its first and last lines: the 0-based index and the text of each."""
    if not voices:
        return
    feeds = _line_ends(data)
    places = [(*heard.first, *heard.last) for heard in voices.values()]
    # All at once: asked one by one this takes as long as the parsing.
    flat = np.fromiter(chain.from_iterable(places), np.int64)
    indices = np.searchsorted(feeds, flat)
    starts = np.concatenate([[0], feeds + 1])[indices].tolist()
    stops = np.append(feeds, len(data))[indices].tolist()
    rows = zip(indices.tolist(), starts, stops, strict=True)
    for name, found in zip(voices, places, strict=True):
        own = {index: (start, stop) for index, start, stop in islice(rows, len(found))}
        yield (
            name,
            [
                (index, data[start:stop].decode("utf-8", "replace"))
                for index, (start, stop) in sorted(own.items())
            ],
        )


def _line_ends(data: bytes) -> NDArray[np.int64]:
    return np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n"))


def _sample(*, data: bytes, line_count: int, read: Read) -> list[LogLine]:
    """Return the parsed lines at both ends of the block."""
    head = data[: SAMPLE * 400].split(b"\n")[:SAMPLE]
    tail = data[-SAMPLE * 400 :].split(b"\n")[1:][-SAMPLE:]
    start = line_count - len(tail)
    numbered = dict(enumerate(head)) | {start + index: line for index, line in enumerate(tail)}
    return [
        read(index, line.decode("utf-8", "replace"))
        for index, line in sorted(numbered.items())
        if 0 <= index < line_count
    ]


def _by_voice(lines: Sequence[LogLine]) -> dict[Voice, list[LogLine]]:
    found: dict[Voice, list[LogLine]] = {}
    for line in lines:
        found.setdefault(("rank", str(line.rank)), []).append(line)
        found.setdefault(("host", str(line.host)), []).append(line)
    return found


def _voices(*, data: bytes, sample: Sequence[LogLine]) -> dict[Voice, VoiceCoverage]:
    dialects = {line.dialect for line in sample}
    if b"[rank" in data:
        return _heard(kind="rank", pattern=RANK, data=data)
    if "srun_label" in dialects:
        return _heard(kind="rank", pattern=TASK, data=data)
    if len({line.host for line in sample if line.host and line.dialect != "nccl"}) > 1:
        return _heard(kind="host", pattern=HOST, data=data)
    return {}


def _heard(*, kind: str, pattern: re.Pattern[bytes], data: bytes) -> dict[Voice, VoiceCoverage]:
    voices: dict[bytes, VoiceCoverage] = {}
    for match in pattern.finditer(data):
        voice = voices.get(match[1])
        if voice is None:
            if len(voices) >= MOST_VOICES:
                continue
            voice = voices[match[1]] = VoiceCoverage()
        voice.count += 1
        if len(voice.first) < PER_VOICE:
            voice.first.append(match.start())
        voice.last.append(match.start())
    return {(kind, name.decode("ascii", "replace")): heard for name, heard in voices.items()}


def _voice(
    *,
    name: Voice,
    count: int,
    last_number: int,
    lines: Sequence[LogLine],
    told: Sequence[LogLine],
) -> Extent:
    kind, value = name
    return _span(
        lines=[*lines, *told],
        host=value if kind == "host" else next((line.host for line in lines if line.host), None),
        rank=int(value) if kind == "rank" else None,
        line_count=count,
        last_number=last_number,
    )


def _span(
    *,
    lines: Sequence[LogLine],
    host: str | None,
    rank: int | None,
    line_count: int,
    last_number: int,
) -> Extent:
    times = sorted(line.at for line in lines if line.at is not None)
    local = sorted(line.local_at for line in lines if line.local_at is not None)
    return Extent(
        host=host,
        rank=rank,
        stream=next((line.stream for line in lines if line.stream is not None), None),
        line_count=line_count,
        first_at=times[0] if times else None,
        last_at=times[-1] if times else None,
        first_local_at=local[0] if local else None,
        last_local_at=local[-1] if local else None,
        offset=next((line.offset for line in reversed(lines) if line.offset), None),
        last_number=last_number,
        last_uptime=None if times or local else _last_uptime(lines),
    )


def _last_uptime(lines: Sequence[LogLine]) -> float | None:
    known = [one for one in lines if one.uptime_seconds is not None]
    last = max(known, key=lambda one: one.number, default=None)
    return last.uptime_seconds if last else None
