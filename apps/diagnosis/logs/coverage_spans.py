"""How far each voice of a block was heard, without reading the innocent lines in between."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.logs.batch_coverage import BatchCoverage, Voice
from apps.diagnosis.model import LogLine, Origin

# Enough lines from either end to meet a printed time: tracebacks and banners print none.
SAMPLE = 40
PER_VOICE = 2
# Of one block. Of what speaks beyond them only the lines are counted, with those of nobody.
MOST_VOICES = 16_384
RANK = re.compile(rb"\[rank(?:: |[= ])?(\d{1,7})\][: ]", re.ASCII)
TASK = re.compile(rb"^ {0,6}(\d{1,6}): (?=\S)", re.ASCII | re.MULTILINE)
HOST = re.compile(
    rb"^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,9})?"
    rb"|\d{4}-\d\d-\d\dT\S{8,24}) ([\w.:-]{1,253}) ",
    re.ASCII | re.MULTILINE,
)
Read = Callable[[int, str], LogLine]
Name = TypeVar("Name", str, bytes)


@dataclass(slots=True)
class VoiceCoverage:
    """One voice: how many lines, and where the first and last stand."""

    count: int = 0
    first: list[int] = field(default_factory=list)
    last: deque[int] = field(default_factory=lambda: deque(maxlen=PER_VOICE))


def coverage_of(
    *,
    data: bytes,
    first_number: int,
    origin: Origin,
    read: Read,
    hosts: Mapping[int, str] = MappingProxyType({}),
) -> BatchCoverage:
    """Return how far each voice of a batch was heard.

    `read` parses a line by its 0-based index in the block and its text; `hosts` are those that
    wrappings named, by the index.
    """
    line_count = data.count(b"\n") + 1
    sample = _sample(data=data, line_count=line_count, read=read)
    voices = _voices(data=data, sample=sample)
    if not voices and len(set(hosts.values())) > 1:
        voices = _heard_of(data=data, hosts=hosts)
    return BatchCoverage(
        origin=origin,
        first_number=first_number,
        line_count=line_count,
        sample=sample,
        has_voices=bool(voices),
        voices=(
            (name, voices[name].count, [read(index, text) for index, text in lines])
            for name, lines in _ends(data=data, voices=voices)
        ),
    )


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
        _note(voices, match[1], match.start())
    return {(kind, name.decode("ascii", "replace")): heard for name, heard in voices.items()}


def _heard_of(*, data: bytes, hosts: Mapping[int, str]) -> dict[Voice, VoiceCoverage]:
    """Return the hosts that wrappings name, by the 0-based index of a line."""
    starts = [0, *(_line_ends(data) + 1).tolist()]
    voices: dict[str, VoiceCoverage] = {}
    for index, host in hosts.items():
        if index < len(starts):
            _note(voices, host, starts[index])
    return {("host", name): heard for name, heard in voices.items()}


def _note(voices: dict[Name, VoiceCoverage], name: Name, start: int) -> None:
    """Count a line of a voice that begins at a place."""
    voice = voices.get(name)
    if voice is None:
        if len(voices) >= MOST_VOICES:
            return
        voice = voices[name] = VoiceCoverage()
    voice.count += 1
    if len(voice.first) < PER_VOICE:
        voice.first.append(start)
    voice.last.append(start)
