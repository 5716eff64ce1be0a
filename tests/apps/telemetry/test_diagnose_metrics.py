"""`manage.py diagnose` with metrics: tables in folders and tars, and a server that is asked."""

import io
import json
import tarfile
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
