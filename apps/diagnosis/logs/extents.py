"""How far each voice of a block was heard, without reading the innocent lines in between."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

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


@dataclass(slots=True)
class Heard:
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
    block = _Block(data=data, first_number=first_number, ends=_line_ends(data) if voices else EMPTY)
    found = [
        _voice(name=name, heard=heard, block=block, read=read, told=known.get(name, ()))
        for name, heard in voices.items()
    ]
    rest = line_count - sum(extent.line_count for extent in found)
    if rest > 0 or not found:
        host = next((line.host for line in sample if line.host), None) if not found else None
        whole = _span(
            lines=[*sample, *(told if not found else ())],
            host=host or origin.host,
            rank=origin.rank,
            line_count=max(rest, 0),
        )
        found.append(replace(whole, last_number=first_number + line_count - 1))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    data: bytes
    first_number: int
    ends: NDArray[np.int64]  # positions of the line feeds

    def index_of(self, position: int) -> int:
        return int(np.searchsorted(self.ends, position))

    def line(self, index: int) -> str:
        start = int(self.ends[index - 1]) + 1 if index else 0
        end = int(self.ends[index]) if index < len(self.ends) else len(self.data)
        return self.data[start:end].decode("utf-8", "replace")


EMPTY: NDArray[np.int64] = np.empty(0, dtype=np.int64)


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


def _by_voice(lines: Sequence[LogLine]) -> dict[tuple[str, str], list[LogLine]]:
    found: dict[tuple[str, str], list[LogLine]] = {}
    for line in lines:
        found.setdefault(("rank", str(line.rank)), []).append(line)
        found.setdefault(("host", str(line.host)), []).append(line)
    return found


def _voices(*, data: bytes, sample: Sequence[LogLine]) -> dict[tuple[str, str], Heard]:
    dialects = {line.dialect for line in sample}
    if b"[rank" in data:
        return _heard(kind="rank", pattern=RANK, data=data)
    if "srun_label" in dialects:
        return _heard(kind="rank", pattern=TASK, data=data)
    if len({line.host for line in sample if line.host and line.dialect != "nccl"}) > 1:
        return _heard(kind="host", pattern=HOST, data=data)
    return {}


def _heard(*, kind: str, pattern: re.Pattern[bytes], data: bytes) -> dict[tuple[str, str], Heard]:
    voices: dict[bytes, Heard] = {}
    for match in pattern.finditer(data):
        voice = voices.get(match[1])
        if voice is None:
            if len(voices) >= MOST_VOICES:
                continue
            voice = voices[match[1]] = Heard()
        voice.count += 1
        if len(voice.first) < PER_VOICE:
            voice.first.append(match.start())
        voice.last.append(match.start())
    return {(kind, name.decode("ascii", "replace")): heard for name, heard in voices.items()}


def _voice(
    *,
    name: tuple[str, str],
    heard: Heard,
    block: _Block,
    read: Read,
    told: Sequence[LogLine],
) -> Extent:
    kind, value = name
    indices = sorted({block.index_of(position) for position in (*heard.first, *heard.last)})
    lines = [read(index, block.line(index)) for index in indices]
    whole = _span(
        lines=[*lines, *told],
        host=value if kind == "host" else next((line.host for line in lines if line.host), None),
        rank=int(value) if kind == "rank" else None,
        line_count=heard.count,
    )
    return replace(whole, last_number=block.first_number + indices[-1])


def _span(
    *, lines: Sequence[LogLine], host: str | None, rank: int | None, line_count: int
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
    )
