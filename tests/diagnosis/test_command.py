"""`manage.py diagnose` as a person meets it: files in, answers and exit codes out."""

import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.scenarios.stories import STORIES, TRUE_CLOCKS

ROOT = Path(__file__).parents[2]


def _folder(root: Path, texts: Mapping[str, str]) -> Path:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def _run(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("PORTAL_", "DJANGO_"))}
    return subprocess.run(  # noqa: S603  our own command
        [sys.executable, "manage.py", "diagnose", *arguments], cwd=ROOT, env=bare, input=stdin,
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.fixture(scope="module")
def lost_gpu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the session that lost a GPU."""
    return _folder(tmp_path_factory.mktemp("lost"), STORIES[0].tell(TRUE_CLOCKS).texts())


def test_a_folder_is_answered_with_the_three_answers_first(lost_gpu: Path) -> None:
    done = _run(str(lost_gpu))
    text = done.stdout.decode()
    assert done.returncode == 0
    assert text.index("Why did it stop?") < text.index("Start it again?") < text.index("Leave out")
    assert "n103" in text.split("Leave out", 1)[1].split("\n\n", 1)[0]


def test_a_compressed_tar_gives_the_same_json_as_the_folder(lost_gpu: Path, tmp_path: Path) -> None:
    packed = tmp_path / "logs.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        for path in sorted(lost_gpu.rglob("*.log")):
            archive.add(path, path.relative_to(lost_gpu).as_posix())
    one, other = _run("--format", "json", str(lost_gpu)), _run("--format", "json", str(packed))
    assert json.loads(one.stdout)["verdict"] == json.loads(other.stdout)["verdict"]


def test_generic_text_on_standard_input_leaves_with_three() -> None:
    line = b"ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n"
    assert _run("-", stdin=line).returncode == 3


@pytest.mark.parametrize("arguments", [("nowhere.log",), (), ("--explain", "no-such")])
def test_unusable_input_leaves_with_two_and_says_what_to_do(arguments: tuple[str, ...]) -> None:
    done = _run(*arguments)
    assert done.returncode == 2
    assert done.stderr


def test_cases_are_answered_one_a_line(tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    log = {"stream": "kernel", "host": "n1", "rank": None, "text": "[ 9.1] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus."}
    cases.write_text("\n".join(json.dumps({"id": name, "logs": [log]}) for name in ("a", "b")) + "\n")
    answers = [json.loads(line) for line in _run("--cases", str(cases)).stdout.splitlines()]
    assert [(one["id"], one["verdict"]["cause"]) for one in answers] == [("a", "gpu-off-bus"), ("b", "gpu-off-bus")]


def test_a_signature_is_explained() -> None:
    assert b"gpu-off-bus" in _run("--explain", "nvrm-xid-79").stdout


def test_the_report_comes_as_markdown_and_html_too(lost_gpu: Path) -> None:
    assert _run("--format", "md", str(lost_gpu)).stdout.startswith(b"## Why did it stop?")
    page = io.BytesIO(_run("--format", "html", str(lost_gpu)).stdout).read()
    assert page.startswith(b"<!doctype html>")
    assert b"<script" not in page
