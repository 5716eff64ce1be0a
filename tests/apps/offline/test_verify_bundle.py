"""`verify_bundle` says in plain words what a bundle holds, and writes its lines as logs."""

import io
from pathlib import Path
from typing import Any

import pytest

from apps.offline.bundle_logs import MOST_LOGS
from apps.offline.management.commands.verify_bundle import Command
from apps.sharing.bundles.bundle_file import read_bundle
from tests.cast.bundle_files import LINES, bundle


def run(path: Path, **options: Any) -> tuple[int, str]:
    out, err = io.StringIO(), io.StringIO()
    command = Command(stdout=out, stderr=err, no_color=True)
    try:
        command.handle(**{"file": str(path), "sha256": None, "logs": None, **options})
    except SystemExit as ended:
        return int(str(ended.code)), err.getvalue()
    return 0, out.getvalue()


def test_it_says_what_is_in_it(tmp_path: Path) -> None:
    code, said = run(bundle(tmp_path))

    assert code == 0
    assert "The bundle is as it was made." in said
    assert "BND-1, of incident INC-7K3F" in said
    assert "from Aurora Cloud for Strata, Verdant support" in said
    assert "withheld: 3 lines (they name another party)" in said
    assert "simulated data" in said
    assert "\x1b" not in said


def test_a_digest_is_compared(tmp_path: Path) -> None:
    path = bundle(tmp_path)
    digest = read_bundle(io.BytesIO(path.read_bytes())).digest

    assert run(path, sha256=digest.upper())[0] == 0
    code, said = run(path, sha256="0" * 64)
    assert (code, "another one than was given" in said) == (1, True)


def test_a_changed_or_absent_file_is_told(tmp_path: Path) -> None:
    path = bundle(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"timed out", b"timed 0ut"))

    assert run(path) == (1, f"{path}: it is no ZIP file, or a damaged one\n")
    assert run(tmp_path / "none.zip") == (2, f"{tmp_path}/none.zip: No such file or directory\n")
    assert run(tmp_path)[0] == 2


def test_its_lines_become_logs_that_a_diagnosis_reads(tmp_path: Path) -> None:
    code, said = run(bundle(tmp_path), logs=str(tmp_path / "lines"))

    assert (code, "Logs written: 2." in said) == (0, True)
    written = tmp_path / "lines/kernel/host-k3f9m2q7xwt.log"
    assert written.read_text() == "nfs: server not responding\n"
    assert run(tmp_path / "BND-1.zip", logs=str(tmp_path / "lines"))[0] == 2


@pytest.mark.parametrize("name", ["../../outside", "/etc/cron.d/x", "..", ".bashrc", "a\0b", "a/b"])
@pytest.mark.parametrize("field", ["host", "stream"])
def test_a_name_that_leads_out_of_the_folder_is_refused(
    tmp_path: Path, field: str, name: str
) -> None:
    path = bundle(tmp_path, lines=[LINES[0], LINES[1] | {field: name}])

    code, said = run(path, logs=str(tmp_path / "lines"))

    why = {"host": "can't be the name of a file", "stream": "no kind of log is called"}[field]
    assert (code, why in said) == (2, True)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"stream": "../../etc", "host": "gpu001"}, "no kind of log is called “../../etc”"),
        ({"stream": "kernel", "host": "../x"}, "“../x” can't be the name of a file"),
        ({"stream": "kernel", "host": "-rf"}, "“-rf” can't be the name of a file"),
        ({"stream": "kernel", "host": "x\x1b[2Jy"}, "can't be the name of a file"),
        ({"stream": "kernel", "host": "x" * 201}, f"“{'x' * 60}…” can't be the name of a file"),
        (["kernel"], "no JSON object"),
    ],
)
def test_a_name_that_no_file_may_have_is_refused_with_its_line(
    line: Any, said: str, tmp_path: Path
) -> None:
    code, told = run(bundle(tmp_path, lines=[*LINES, line]), logs=str(tmp_path / "lines"))

    assert code == 2
    assert "lines.ndjson line 3: " in told
    assert said in told
    assert "\x1b" not in told
    assert not (tmp_path / "lines").exists()


def test_more_logs_than_anybody_reads_are_not_written(tmp_path: Path) -> None:
    many = [{"stream": "kernel", "host": f"h{n}", "text": "x"} for n in range(MOST_LOGS + 1)]

    code, told = run(bundle(tmp_path, lines=many), logs=str(tmp_path / "lines"))

    assert (code, "names more than 2,000 logs: nothing was written" in told) == (2, True)
    assert not (tmp_path / "lines").exists()
    assert run(bundle(tmp_path, lines=many[:-1]), logs=str(tmp_path / "lines"))[0] == 0


def test_halves_of_letters_become_lines_of_a_file(tmp_path: Path) -> None:
    path = bundle(tmp_path, lines=[{"stream": "kernel", "host": "gpu001", "text": "a\ud800b"}])

    assert run(path, logs=str(tmp_path / "lines"))[0] == 0
    assert (tmp_path / "lines" / "kernel" / "gpu001.log").read_text() == "a?b\n"
