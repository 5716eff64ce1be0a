"""Paths become sources: conventions, compression, torn and hostile input, bounded memory."""

import gzip
import io
import json
import re
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard

from apps.diagnosis.model import Stream
from apps.telemetry.files.file_origins import describe
from apps.telemetry.files.text_pieces import lines
from apps.telemetry.files.text_sources import open_paths
from apps.telemetry.files.unusable_input import UnusableInput
from tests.diagnosis.dumps.dumping import call, dump, pickled

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def _text(path: Path) -> str:
    (source,) = open_paths(paths=[str(path)], now=NOW)
    return "\n".join(piece.text() for piece in source.pieces())


@pytest.mark.parametrize(
    ("inside", "stream", "host", "rank"),
    [
        ("session/n1.log", Stream.SESSION, "n1", None),
        ("session/n1/rank12.log", Stream.SESSION, "n1", 12),
        ("logs/kernel/n2.log.gz", Stream.KERNEL, "n2", None),
        ("scheduler.log", Stream.SCHEDULER, None, None),
        ("scheduler/slurmctld.log", Stream.SCHEDULER, None, None),
        ("storage/filer.log", Stream.STORAGE, None, None),
        ("anything.txt", None, None, None),
    ],
)
def test_the_path_tells_stream_host_and_rank(
    inside: str, stream: Stream | None, host: str | None, rank: int | None
) -> None:
    origin = describe(inside=inside, stream=None, zone=None, overrides={})
    assert origin is not None
    assert (origin.stream, origin.host, origin.rank) == (stream, host, rank)


def test_series_are_no_log_text() -> None:
    assert describe(inside="metrics/ports.csv", stream=None, zone=None, overrides={}) is None


def test_a_dump_is_read_as_the_lines_that_stand_for_it(tmp_path: Path) -> None:
    folder = tmp_path / "flight-recorder" / "n7"
    folder.mkdir(parents=True)
    (folder / "nccl_trace_rank_1").write_bytes(pickled(dump(1, call("1", 8, order=3))))
    (source,) = open_paths(paths=[str(tmp_path)], now=NOW)
    assert source.origin.host == "n7"
    assert "[rank1]: faultline.flight-recorder unfinished {" in _text(tmp_path)


def test_overrides_win_over_the_path(tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("x\n")
    entry = {"path": "odd.txt", "stream": "kernel", "host": "n7", "tz": "Asia/Seoul"}
    (tmp_path / "faultline.json").write_text(json.dumps([entry]))
    (source,) = open_paths(paths=[str(tmp_path)], now=NOW)
    assert (source.origin.stream, source.origin.host, source.origin.zone) == (
        Stream.KERNEL,
        "n7",
        "Asia/Seoul",
    )


def test_compressed_files_read_as_their_text(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    (tmp_path / "b.zst").write_bytes(zstandard.compress(b"one\ntwo\n"))
    assert _text(tmp_path / "a.gz") == _text(tmp_path / "b.zst") == "one\ntwo"


@pytest.mark.parametrize(
    "packed", [gzip.compress(b"line\n" * 9000, mtime=0), zstandard.compress(b"line\n" * 9000)]
)
def test_a_torn_stream_gives_what_came_before(tmp_path: Path, packed: bytes) -> None:
    (tmp_path / "torn").write_bytes(packed[: len(packed) - 4])
    assert set(_text(tmp_path / "torn").split("\n")) <= {"line", "", "l", "li", "lin"}


def test_a_line_without_end_is_cut_with_a_mark() -> None:
    text = "".join(lines(io.BytesIO(b"a" * 9_000_000)))
    assert text.endswith(" [cut]")
    assert len(text) < 2_000_000 + 16


def test_a_missing_path_is_named() -> None:
    with pytest.raises(UnusableInput, match=r"nowhere\.log"):
        list(open_paths(paths=["nowhere.log"], now=NOW))


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"hots": "gpu1"}, "there is no key `hots` here"),
        ({"stream": "kernal"}, "did you mean `kernel`?"),
        ({"tz": "Korea"}, "did you mean `Asia/Seoul`?"),
        ({"host": {"a": 1}}, "`host` is no name of a host"),
        ({"host": "\ud800"}, "`host` is no name of a host"),
        ({"host": "h" * 254}, "`host` is no name of a host"),
        ({"rank": "3"}, "`rank` must be a whole number from 0 to 1048576"),
        ({"rank": True}, "`rank` must be a whole number from 0 to 1048576"),
        (["a"], 'must be a list of objects with "path"'),
    ],
)
def test_what_an_override_says_wrongly_is_refused(tmp_path: Path, entry: Any, told: str) -> None:
    whole = {"path": "a.log", **entry} if isinstance(entry, dict) else entry
    (tmp_path / "faultline.json").write_text(json.dumps([whole]))

    with pytest.raises(UnusableInput, match=re.escape(told)):
        list(open_paths(paths=[str(tmp_path)], now=NOW))


def test_overrides_nested_without_end_are_refused(tmp_path: Path) -> None:
    (tmp_path / "faultline.json").write_text("[" * 200_000)

    with pytest.raises(UnusableInput, match="must be a list of objects"):
        list(open_paths(paths=[str(tmp_path)], now=NOW))


def test_bytes_that_are_no_text_have_no_lines(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(bytes(range(256)) * 8)

    (source,) = open_paths(paths=[str(tmp_path / "noise")], now=NOW)

    assert list(source.pieces()) == []


LINE = b"2026-05-03T10:00:00Z gpu001 kernel: NVRM: Xid (PCI:0000:03:00): 79\n"


def _tar(path: Path, **headers: Any) -> Path:
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo("kernel/gpu001.log")
        member.size = len(LINE)
        for name, value in headers.items():
            setattr(member, name, value)
        archive.addfile(member, io.BytesIO(LINE))
    return path


def _read(path: Path) -> int:
    """Return how many letters the sources of a path have; none of these tars is as large."""
    read = 0
    for source in open_paths(paths=[str(path)], now=NOW):
        for piece in source.pieces():
            read += len(piece.text())
            assert read <= 20_000
    return read


@pytest.mark.parametrize(
    "headers",
    [
        {"mtime": 2.0**60},
        {"mtime": 1e300},
        {"mtime": -(2.0**50)},
        {"pax_headers": {"mtime": "nan"}},
        {"pax_headers": {"mtime": "1e400"}},
    ],
)
def test_a_member_of_no_year_is_read_all_the_same(tmp_path: Path, headers: dict[str, Any]) -> None:
    (source,) = open_paths(paths=[str(_tar(tmp_path / "odd.tar", **headers))], now=NOW)

    assert source.origin.received_at is None


@pytest.mark.parametrize(
    "headers",
    [
        {"GNU.sparse.map": "0,1,5", "GNU.sparse.size": "9999999999999"},
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "99999999999"},
        {"size": "99999999999999999999"},
    ],
)
def test_headers_that_lie_are_damage_and_quote_no_log(
    tmp_path: Path, headers: dict[str, str]
) -> None:
    with pytest.raises(UnusableInput, match=r"odd\.tar: the tar is damaged") as refused:
        _read(_tar(tmp_path / "odd.tar", pax_headers=headers))

    assert "Xid" not in str(refused.value)


def test_a_tar_that_breaks_off_in_a_member_is_told_as_damaged(tmp_path: Path) -> None:
    path = _tar(tmp_path / "cut.tar")
    whole = path.read_bytes()
    path.write_bytes(whole[: 512 + len(LINE) // 2])
    with pytest.raises(UnusableInput, match=r"cut\.tar: the tar is damaged"):
        _read(path)


def test_a_tar_of_nothing_but_empty_files_is_refused_with_what_to_do(tmp_path: Path) -> None:
    header = tarfile.TarInfo("rank0.log").tobuf()
    (tmp_path / "few.tar").write_bytes(header * 100)
    (tmp_path / "many.tar").write_bytes(header * 10_001)

    assert len(list(open_paths(paths=[str(tmp_path / "few.tar")], now=NOW))) == 100
    with pytest.raises(UnusableInput, match="more than 10000 empty files; leave them out"):
        list(open_paths(paths=[str(tmp_path / "many.tar")], now=NOW))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_utf16_with_its_mark_is_read(tmp_path: Path, encoding: str, *, is_packed: bool) -> None:
    text = "\n".join(f"{number} GPU 3번 \U0001f525 Xid 79" for number in range(9000))
    raw = ("\ufeff" + text + "\n").encode(encoding)
    (tmp_path / "a.log").write_bytes(gzip.compress(raw) if is_packed else raw)
    assert _text(tmp_path / "a.log").removeprefix("\ufeff") == text


def test_utf16_that_breaks_off_inside_of_a_letter_keeps_the_lines_before(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes("Xid 79\nXid 48".encode("utf-16") + b"\x41")
    assert _text(tmp_path / "a.log").splitlines() == ["Xid 79", "Xid 48\ufffd"]
