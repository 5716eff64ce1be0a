"""Files named one by one are what they are in their folder, in whatever order they come."""

import json
import os
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Stream
from apps.offline.parallel_reading import read_paths
from apps.offline.reading.named_sources import NamedPaths
from apps.offline.series.series_files import Ran, read_anomalies
from apps.telemetry.files.text_sources import open_paths
from apps.wording.published import to_json

NOW = datetime(2026, 5, 4, tzinfo=UTC)
XID = (
    "2026-05-03T10:00:00Z {host} kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', "
    "name=<unknown>, GPU has fallen off the bus.\n"
)
LOST = "[rank{rank}]: RuntimeError: CUDA error: unspecified launch failure\n"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a run of two hosts: files of the same names in the folders of both."""
    root = tmp_path / "run"
    for host, ranks in (("a1", (0, 1)), ("a2", (2, 3))):
        folder = root / "session" / host
        folder.mkdir(parents=True)
        (root / "kernel").mkdir(exist_ok=True)
        (root / "kernel" / f"{host}.log").write_text(XID.format(host=host) if host == "a2" else "")
        for rank in ranks:
            stamp = f"2026-05-03T09:5{rank}:00Z {host} trainer[{rank}]: "
            (folder / f"rank{rank}.log").write_text(
                f"{stamp}step {rank} loss 2.0\n" + LOST.format(rank=rank)
            )
        (folder / "torchrun.log").write_text("starting\n")
    return root


def files_of(root: Path) -> list[str]:
    return [str(one) for one in sorted(root.rglob("*")) if one.is_file()]


def origins(*paths: str, stream: Stream | None = None) -> dict[str, Origin]:
    """Return what is known of each source by its name."""
    found = [one.origin for one in open_paths(paths=paths, stream=stream, now=NOW)]
    assert len({one.source for one in found}) == len(found)
    return {one.source: one for one in found}


@pytest.mark.parametrize("seed", range(5))
def test_files_in_any_order_are_read_as_their_folder(run: Path, seed: int) -> None:
    names = files_of(run)
    random.Random(seed).shuffle(names)  # noqa: S311  an order, no secret
    asked = [[str(run)], names, [os.path.relpath(one) for one in names]]
    said = [
        to_json(
            diagnosis=diagnose(readings=read_paths(named=[NamedPaths(paths=tuple(each))], now=NOW))
        )
        for each in asked
    ]
    assert json.dumps(said[1]) == json.dumps(said[2]) == json.dumps(said[0])
    assert [one["host"] for one in said[0]["verdict"]["culprits"]] == ["a2"]
    assert origins(*names).keys() == origins(str(run)).keys()


@pytest.mark.parametrize("below", ["session", "session/a2", "session/a2/rank3.log"])
def test_a_part_of_a_run_is_still_of_its_host(run: Path, below: str) -> None:
    known = origins(str(run / below))["session/a2/rank3.log"]
    assert (known.stream, known.host, known.rank) == (Stream.SESSION, "a2", 3)


@pytest.mark.parametrize("below", ["kernel", "kernel/a2.log"])
def test_a_kernel_log_is_of_the_host_that_its_name_says(run: Path, below: str) -> None:
    known = origins(str(run / below))["kernel/a2.log"]
    assert (known.stream, known.host) == (Stream.KERNEL, "a2")


def test_two_logs_of_one_host_are_not_taken_for_one_file(run: Path) -> None:
    known = origins(str(run / "session/a1/torchrun.log"), str(run / "session/a2/torchrun.log"))
    assert {name: one.host for name, one in known.items()} == {
        "session/a1/torchrun.log": "a1",
        "session/a2/torchrun.log": "a2",
    }


def test_what_an_option_says_of_a_file_stands(run: Path) -> None:
    (known,) = origins(str(run / "session/a1/torchrun.log"), stream=Stream.KERNEL).values()
    assert known.stream is Stream.KERNEL


def test_files_in_one_folder_keep_their_bare_names(tmp_path: Path) -> None:
    for name in ("train.log", "kernel.log"):
        (tmp_path / name).write_text("x\n")
    known = origins(str(tmp_path / "train.log"), str(tmp_path / "kernel.log"))
    assert {name: one.stream for name, one in known.items()} == {
        "train.log": None,
        "kernel.log": Stream.KERNEL,
    }


def test_a_disk_that_is_called_storage_makes_no_storage_log(tmp_path: Path) -> None:
    disk, other = tmp_path / "mnt" / "storage" / "7", tmp_path / "home" / "me"
    for folder in (disk, other):
        folder.mkdir(parents=True)
        (folder / "train.log").write_text("x\n")
    known = origins(str(disk / "train.log"), str(other / "train.log"))
    assert {one.stream for one in known.values()} == {None}


def test_a_folder_that_is_called_session_makes_no_host_of_a_program(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    (folder / "train.log").write_text("x\n")
    (known,) = origins(str(folder)).values()
    assert (known.source, known.host) == ("train.log", None)


@pytest.mark.parametrize("name", ["train.log", "llama3-70b.out", "gpu-n02.log"])
def test_what_a_log_of_a_session_is_called_names_no_host_by_itself(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("x\n")
    (known,) = origins(str(tmp_path / name), stream=Stream.SESSION).values()
    assert (known.stream, known.host) == (Stream.SESSION, None)
    (kernel,) = origins(str(tmp_path / name), stream=Stream.KERNEL).values()
    assert kernel.host == name.split(".", maxsplit=1)[0]


def test_what_faultline_json_says_counts_where_it_is_named_too(run: Path) -> None:
    told = [{"path": "session/a1/torchrun.log", "host": "b9", "stream": "session"}]
    (run / "faultline.json").write_text(json.dumps(told))
    known = origins(*files_of(run))
    assert known["session/a1/torchrun.log"].host == "b9"
    assert "faultline.json" not in known


def test_a_table_among_named_files_is_a_table(run: Path) -> None:
    (run / "metrics").mkdir()
    rows = "".join(f"{1777802400 + 30 * i},a2,3,{79 if i > 90 else 0}\n" for i in range(180))
    table = run / "metrics" / "xid.csv"
    table.write_text("time,Hostname,gpu,DCGM_FI_DEV_XID_ERRORS\n" + rows)
    names = files_of(run)
    assert not any("metrics" in name for name in origins(*names))
    of_files = read_anomalies(named=[], paths=names, ran=Ran(hosts=("a2",)))
    assert of_files
    assert of_files == read_anomalies(named=[], paths=[str(run)], ran=Ran(hosts=("a2",)))
