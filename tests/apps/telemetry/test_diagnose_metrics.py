"""`manage.py diagnose` with metrics: tables in folders and tars, and a server that is asked."""

import io
import json
import tarfile
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command

from tests.apps.telemetry.prometheus_server import World, serving

START = 1_790_000_000  # 2026-09-21 14:13:20 UTC
LOST_AT = START + 5400
SESSION = (
    "2026-09-21T14:20:00Z n1 trainer[71]: step 1 loss 2.0\n"
    "2026-09-21T15:43:50Z n1 trainer[71]: RuntimeError: NCCL error: unhandled system error\n"
)


def _run(*arguments: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("diagnose", *arguments, stdout=out, stderr=err)
    except SystemExit as left:
        return int(str(left.code)), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


def _cause(text: str) -> tuple[str, str, int]:
    said = json.loads(text)["verdict"]
    culprit = said["culprits"][0]
    return said["cause"], culprit["host"], culprit["gpu"]["index"]


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """Return a folder with one session log."""
    folder = tmp_path / "run"
    (folder / "session").mkdir(parents=True)
    (folder / "session" / "n1.log").write_text(SESSION)
    return folder


@pytest.fixture
def with_table(run_folder: Path) -> Path:
    """Return the folder with a table of a sticky Xid beside the log."""
    rows = [f"{START + 30 * i},n1,3,{79 if START + 30 * i >= LOST_AT else 0}" for i in range(200)]
    (run_folder / "metrics").mkdir()
    table = run_folder / "metrics" / "xid.csv"
    table.write_text("time,Hostname,gpu,DCGM_FI_DEV_XID_ERRORS\n" + "\n".join(rows) + "\n")
    return run_folder


def test_a_table_in_the_metrics_folder_is_evidence(with_table: Path) -> None:
    code, text, _ = _run("--format", "json", str(with_table))
    assert (code, *_cause(text)) == (0, "gpu-off-bus", "n1", 3)


def test_without_the_table_nobody_knows(run_folder: Path) -> None:
    assert _run("--format", "json", str(run_folder))[0] == 3


def test_a_table_in_a_compressed_tar_is_evidence(with_table: Path, tmp_path: Path) -> None:
    packed = tmp_path / "run.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(with_table, ".")
    assert _cause(_run("--format", "json", str(packed))[1]) == ("gpu-off-bus", "n1", 3)


def test_a_server_is_asked_about_the_time_of_the_stop(run_folder: Path) -> None:
    world = World()
    world.add(
        "DCGM_FI_DEV_XID_ERRORS",
        lambda at: np.where(at >= LOST_AT, 79.0, 0.0),
        Hostname="n1",
        gpu="3",
    )
    with serving(world) as url:
        _, text, _ = _run("--format", "json", "--metrics", url, str(run_folder))
    assert _cause(text) == ("gpu-off-bus", "n1", 3)


def test_a_password_in_the_url_of_a_server_stays_out_of_what_is_said(run_folder: Path) -> None:
    code, _, said = _run("--metrics", "http://reader:hush@127.0.0.1:1/", str(run_folder))
    assert code == 2
    assert "127.0.0.1:1" in said
    assert "hush" not in said


def test_a_damaged_table_ends_with_two_and_its_name(run_folder: Path) -> None:
    (run_folder / "metrics").mkdir()
    (run_folder / "metrics" / "gpu.csv").write_text("when,what\n1,2\n")
    code, _, said = _run(str(run_folder))
    assert code == 2
    assert "gpu.csv" in said


ZONES = {"Seoul": 540, "Kathmandu": 345, "New York": -240, "UTC": 0}


def _busy(at: np.ndarray) -> np.ndarray:
    return np.asarray(np.where((at >= START + 400) & (at <= LOST_AT + 30), 95.0, 1.0) + at % 3)


def _world(*, is_busy: bool = True) -> World:
    world = World()
    for host in ("n1", "n2"):
        busy = _busy if is_busy and host == "n1" else lambda at: at % 3 + 50.0
        world.add("DCGM_FI_DEV_GPU_UTIL", busy, Hostname=host, gpu="3")
    world.add(
        "DCGM_FI_DEV_XID_ERRORS",
        lambda at: np.where(at >= LOST_AT, 79.0, 0.0),
        Hostname="n1",
        gpu="3",
    )
    return world


def _local(folder: Path, minutes: int) -> None:
    """Print the session's times as a clock of another zone does, without naming it."""
    stamps = (
        datetime.fromtimestamp(START + 400 + 60 * minutes, UTC),
        datetime.fromtimestamp(LOST_AT + 30 + 60 * minutes, UTC),
    )
    lines = (
        "step 1 loss 2.0",
        "RuntimeError: NCCL error: unhandled system error",
    )
    text = [f"{at:%Y-%m-%d %H:%M:%S},000 {line}\n" for at, line in zip(stamps, lines, strict=True)]
    (folder / "session" / "n1.log").write_text("".join(text))


@pytest.mark.parametrize("minutes", ZONES.values(), ids=ZONES)
def test_a_server_tells_the_zone_that_the_logs_do_not(run_folder: Path, minutes: int) -> None:
    _local(run_folder, minutes)
    (run_folder / "kernel").mkdir()
    kernel = "2026-09-21T14:20:00+00:00 n1 kernel: usb 1-1: new device\n"
    (run_folder / "kernel" / "n1.log").write_text(kernel)
    with serving(_world()) as url:
        _, text, said = _run("--format", "json", "--metrics", url, str(run_folder))
    assert _cause(text) == ("gpu-off-bus", "n1", 3)
    hours, rest = divmod(abs(minutes), 60)
    assert f"taken as UTC{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}: " in said


def test_what_fits_no_zone_is_asked_for(run_folder: Path) -> None:
    _local(run_folder, 540)
    with serving(_world(is_busy=False)) as url:
        code, _, said = _run("--metrics", url, str(run_folder))
    assert code == 2
    assert "--tz Asia/Seoul" in said
    with serving(_world(is_busy=False)) as url:
        arguments = ("--format", "json", "--tz", "Asia/Seoul", "--metrics", url, str(run_folder))
        assert _cause(_run(*arguments)[1]) == ("gpu-off-bus", "n1", 3)
