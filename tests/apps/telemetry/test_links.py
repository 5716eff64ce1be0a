"""A folder from a stranger, with links to what only its reader may read."""

import io
from pathlib import Path

import pytest
from django.core.management import call_command

from apps.telemetry.files import folder_files

XID = (
    "2026-09-21T15:43:50+00:00 n1 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen "
    "off the bus.\n"
)
STOP = (
    "2026-09-21T14:20:00Z n1 trainer[71]: step 1 loss 2.0\n"
    "2026-09-21T15:43:51Z n1 trainer[71]: RuntimeError: NCCL error: unhandled system error\n"
)
TABLE = "time,Hostname,gpu,DCGM_FI_DEV_XID_ERRORS\nCANARY\n"


def _run(*arguments: str) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("diagnose", *arguments, stdout=out, stderr=err)
    except SystemExit as left:
        return int(str(left.code)), out.getvalue() + err.getvalue()
    return 0, out.getvalue() + err.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a log of a session; beside it lies what is not for strangers."""
    there = tmp_path / "run"
    (there / "session").mkdir(parents=True)
    (there / "session" / "n1.log").write_text(STOP)
    (there / "metrics").mkdir()
    (tmp_path / "own.log").write_text(XID)
    (tmp_path / "own.csv").write_text(TABLE)
    (tmp_path / "own.json").write_text('[{"path": "CANARY", "tz": "Mars/CANARY"}]')
    return there


@pytest.mark.parametrize(
    ("inside", "elsewhere"),
    [
        ("kernel.log", "../own.log"),
        ("kernel.log", "session/../../own.log"),
        ("metrics/gpu.csv", "../../own.csv"),
        ("faultline.json", "../own.json"),
    ],
)
def test_a_link_out_of_a_folder_is_not_followed_and_that_is_said(
    folder: Path, inside: str, elsewhere: str
) -> None:
    (folder / inside).symlink_to(elsewhere)
    code, told = _run(str(folder))

    assert code == 3
    assert "79" not in told
    assert "CANARY" not in told
    assert "1 link that leads out of the folder; --follow-links reads them" in told


def test_nor_is_a_chain_of_links(folder: Path) -> None:
    (folder / "b.log").symlink_to("../own.log")
    (folder / "a.log").symlink_to("b.log")
    assert "2 links that lead out of the folder" in _run(str(folder))[1]


def test_whoever_asks_for_it_reads_what_links_lead_to(folder: Path) -> None:
    (folder / "kernel.log").symlink_to("../own.log")
    code, told = _run("--follow-links", str(folder))
    assert (code, "Xid 79" in told, "not read" in told) == (0, True, False)


def test_a_link_within_the_folder_is_a_file_like_others(folder: Path) -> None:
    (folder / "kept").mkdir()
    (folder.parent / "own.log").rename(folder / "kept" / "kernel.log")
    (folder / "latest.log").symlink_to("kept/kernel.log")
    code, told = _run(str(folder))
    assert (code, "not read" in told) == (0, False)


def test_a_folder_that_is_a_link_itself_was_named_by_its_reader(folder: Path) -> None:
    named = folder.parent / "latest"
    named.symlink_to(folder)
    (folder / "kernel.log").write_text(XID)
    assert _run(str(named))[0] == 0


def test_where_the_machine_links_to_what_containers_write_links_are_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_files, "OF_MACHINE", folder.parent.resolve())
    (folder / "kernel.log").symlink_to("../own.log")
    code, told = _run(str(folder))
    assert (code, "not read" in told) == (0, False)


def test_a_folder_of_nothing_but_links_says_why_nothing_is_there(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "own.log").write_text(XID)
    (tmp_path / "run" / "a.log").symlink_to("../own.log")
    code, told = _run(str(tmp_path / "run"))
    assert code == 2
    assert "--follow-links" in told
