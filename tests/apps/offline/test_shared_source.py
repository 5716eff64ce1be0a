"""One file that several processes read says what one process reads of it."""

import gzip
import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from apps.diagnosis.model import Reading
from apps.diagnosis.signatures.read import StreamReader
from apps.offline import parallel_reading
from apps.offline.parallel_reading import read_paths
from apps.offline.reading import shared_source
from apps.offline.reading.named_sources import NamedPaths, large_sources
from apps.offline.reading.shared_source import SharedReading
from apps.offline.steps_beside import SIGNS
from apps.telemetry.files import text_pieces
from apps.telemetry.files.text_sources import open_paths
from apps.telemetry.files.unusable_input import UnusableInput
from tests.diagnosis.signatures.record_texts import CHAIN, TABLE, TRIPLE

NOW = datetime(2026, 11, 30, tzinfo=UTC)
STEP = "[rank{0}]: [2026-11-09 11:{1:02}:{2:02}][INFO][trainer.py:410] step {3} loss 2.3{3:05}"
ODD = "경고 재시도 … 12 µs, ignoring"
CHUNK, LONGEST = 8_192, 12_000


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_pieces, "CHUNK_BYTES", CHUNK)
    monkeypatch.setattr(text_pieces, "MOST_LINE_BYTES", LONGEST)
    monkeypatch.setattr(parallel_reading, "LEAST_SHARED_BYTES", 1)


def lines() -> Iterator[str]:
    for n in range(1_200):
        yield STEP.format(n % 8, n // 60 % 60, n % 60, n)
        if n % 9 == 0:
            yield ODD + " x" * (n % 40)
        if n % 50 == 0:
            yield from (CHAIN.replace("rank3", f"rank{n % 8}"), TABLE, TRIPLE)
        if n in {700, 1_100}:
            yield "[rank1]: RuntimeError: " + "é" * (n * 30)


TEXT = "\n".join(lines()) + "\n"


def read(*paths: Path, processes: int) -> list[Reading]:
    named = [NamedPaths(paths=tuple(map(str, paths)))]
    return read_paths(named=named, now=NOW, processes=processes)


@pytest.mark.parametrize("processes", [2, 3])
@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.rstrip("\n").encode(),
        TEXT.encode("utf-16"),
        gzip.compress(TEXT.encode()),
        TEXT.encode()[:70_000] + b"\xff\xfe\0\x9c" * 3_000 + TEXT.encode()[70_000:],
        b"",
        b"one line",
    ],
    ids=["plain", "CRLF", "no end", "UTF-16", "gzip", "broken bytes", "empty", "one line"],
)
def test_a_file_says_the_same_whoever_reads_it(tmp_path: Path, data: bytes, processes: int) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(data)
    assert read(path, processes=processes) == read(path, processes=1)


def test_cuts_at_every_byte_of_a_record_say_the_same(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    for pad in range(0, len(CHAIN), 151):
        path.write_bytes(b"x" * pad + b"\n" + TEXT.encode()[:90_000])
        assert read(path, processes=2) == read(path, processes=1)


def test_a_large_file_beside_small_ones_is_read_by_all(tmp_path: Path) -> None:
    large, small = tmp_path / "rank0.log", [tmp_path / f"rank{n}.log" for n in range(1, 4)]
    large.write_text(TEXT)
    for each in small:
        each.write_text(CHAIN)
    paths = (small[0], large, *small[1:])
    found = large_sources(named=[NamedPaths(paths=tuple(map(str, paths)))], now=NOW, least=10_000)
    assert list(found) == [1]
    assert read(*paths, processes=3) == read(*paths, processes=1)


@pytest.mark.parametrize("left", [TEXT * 2, TEXT[:100_000], TEXT[:-3], ""])
def test_a_file_that_changes_meanwhile_is_read_as_far_as_it_was_and_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: str
) -> None:
    path = tmp_path / "train.log"

    def written(text: str) -> None:
        path.write_text(text)
        os.utime(path, (NOW.timestamp(), NOW.timestamp()))

    def before(**given: Any) -> Any:
        found = large_sources(**given)
        written(left)
        return found

    monkeypatch.setattr(parallel_reading, "large_sources", before)
    written(TEXT)
    found = read(path, processes=2)
    written(left if len(left) < len(TEXT) else TEXT)
    assert found == read(path, processes=1)


def test_a_process_that_is_killed_is_said_and_nobody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.log"
    path.write_text(TEXT)
    own = shared_source._own

    def killed(*given: Any) -> Iterator[tuple[int, str]]:
        for count, piece in enumerate(own(*given)):
            if count == 3 and given[2].place == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            yield piece

    monkeypatch.setattr(shared_source, "_own", killed)
    with pytest.raises(UnusableInput, match="a reading process ended early"):
        read(path, processes=3)


def test_one_process_reads_where_there_is_no_room_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.log"
    path.write_text(TEXT)
    whole = read(path, processes=1)

    def refused(_self: object) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(get_context("fork").Process, "start", refused)
    assert read(path, processes=2) == whole


def test_pieces_are_put_in_order(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(TEXT)
    (source,) = open_paths(paths=[str(path)], now=NOW)
    (whole,) = read(path, processes=1)
    shared = SharedReading(source.origin)
    reader = StreamReader(origin=source.origin, points_beside=SIGNS)
    said, number = [], 1
    for piece in source.pieces():
        said.append(reader.feed(text=piece.text(), first_number=number))
        number += piece.line_count
    said.append(reader.close())
    for index in reversed(range(len(said))):
        assert not shared.is_whole
        shared.add(index, said[index])
    shared.add(len(said), None)
    assert shared.is_whole
    assert shared.reading() == whole
