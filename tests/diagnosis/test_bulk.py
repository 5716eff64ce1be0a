"""Many files read by several processes are what they are read one by one."""
# ruff: noqa: E501  lines of logs keep their length

import gzip
import io
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Reading
from apps.offline.parallel_reading import read_paths
from apps.offline.reading.named_sources import NamedPaths
from apps.telemetry.files.unusable_input import UnusableInput
from apps.wording.published import to_json

NOW = datetime(2026, 11, 10, tzinfo=UTC)
STEP = " [2026-11-09 03:{:02}:00] iteration {}/ 90 | consumed samples: 5 | elapsed time per iteration (ms): 8.0 |\n"
DEATH = "[rank{0}]:[E1109 03:40:0{1}.5 ProcessGroupNCCL.cpp:683] [Rank {0}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600009 milliseconds before timing out.\n"
XID = "Nov  9 03:29:50 gpu003 kernel: NVRM: Xid (PCI:0000:c4:00): 79, pid=51, GPU has fallen off the bus.\n"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Return a folder with what a session of eight hosts left, plain and compressed."""
    for host in range(8):
        folder = tmp_path / f"logs/session/gpu00{host}"
        folder.mkdir(parents=True)
        for rank in (host * 2, host * 2 + 1):
            steps = "".join(STEP.format(minute, minute) for minute in range(30))
            text = (steps + DEATH.format(rank, rank % 10) * 3).encode()
            (folder / f"rank{rank}.log").write_bytes(text)
        (folder / f"rank{host * 2}.log").rename(folder / f"rank{host * 2}.log.gz")
        packed = folder / f"rank{host * 2}.log.gz"
        packed.write_bytes(gzip.compress(packed.read_bytes()))
    (tmp_path / "logs/kernel").mkdir()
    (tmp_path / "logs/kernel/gpu003.log").write_text(XID)
    return tmp_path / "logs"


def in_tar(folder: Path) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        archive.add(folder, arcname=".")
    return held.getvalue()


def read(path: Path, processes: int) -> list[Reading]:
    return read_paths(named=[NamedPaths(paths=(str(path),))], now=NOW, processes=processes)


def test_several_processes_read_what_one_reads(logs: Path) -> None:
    alone = read(logs, 1)
    assert len(alone) == 17
    assert read(logs, 3) == alone


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_a_tar_reads_like_its_folder(logs: Path, tmp_path: Path, pack) -> None:  # type: ignore[no-untyped-def]  # one of three packers
    packed = tmp_path / "session.tar"
    packed.write_bytes(pack(in_tar(logs)))
    alone, together = read(packed, 1), read(packed, 3)
    assert together == alone
    said = to_json(diagnosis=diagnose(readings=together))["verdict"]
    assert said == to_json(diagnosis=diagnose(readings=read(logs, 2)))["verdict"]


def test_what_was_read_grows_to_all_there_is(logs: Path) -> None:
    told: list[tuple[int, int]] = []
    for processes in (1, 3):
        told.clear()
        read_paths(
            named=[NamedPaths(paths=(str(logs),))],
            now=NOW,
            processes=processes,
            heard=lambda done, total: told.append((done, total)),
        )
        size = sum(one.stat().st_size for one in logs.rglob("*") if one.is_file())
        assert {total for _, total in told} == {size}
        assert [done for done, _ in told] == sorted(done for done, _ in told)
        assert told[-1][0] == size


def test_a_damaged_tar_is_said_whoever_reads_it(logs: Path, tmp_path: Path) -> None:
    packed = tmp_path / "torn.tar"
    whole = in_tar(logs)
    packed.write_bytes(whole[:1024] + b"\xff" * 512 + whole[1536:])
    for processes in (1, 3):
        with pytest.raises(UnusableInput, match=r"torn\.tar: the tar is damaged"):
            read(packed, processes)


def test_standard_input_is_read_by_the_process_that_has_it() -> None:
    (reading,) = read_paths(
        named=[NamedPaths(paths=("-",))], now=NOW, stdin=io.BytesIO(XID.encode()), processes=3
    )
    assert [event.signature for event in reading.events] == ["nvrm-xid-79"]
