"""`manage.py diagnose` as a person meets it: files in, answers and exit codes out."""

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.scenarios.stories import STORIES, TRUE_CLOCKS

ROOT = Path(__file__).parents[2]


def _folder(root: Path, texts: Mapping[str, str]) -> Path:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def _bare(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run as a person does, with none of the portal's settings."""
    bare = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PORTAL_", "DJANGO_"))
    }
    return subprocess.run(  # noqa: S603  our own command
        [sys.executable, "manage.py", "diagnose", *arguments],
        cwd=ROOT,
        env=bare,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )


def _run(*arguments: str) -> tuple[int, str, str]:
    """Return (exit code, standard output, standard error) of the command in this process."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("diagnose", *arguments, stdout=out, stderr=err)
    except SystemExit as left:
        return int(str(left.code)), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def lost_gpu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the session that lost a GPU."""
    return _folder(tmp_path_factory.mktemp("lost"), STORIES[0].tell(TRUE_CLOCKS).texts())


def test_a_folder_is_answered_with_the_three_answers_first(lost_gpu: Path) -> None:
    code, text, _ = _run(str(lost_gpu))
    assert code == 0
    assert text.index("Why did it stop?") < text.index("Start it again?") < text.index("Leave out")
    assert "n103" in text.split("Leave out", 1)[1].split("\n\n", 1)[0]


def test_a_compressed_tar_gives_the_same_verdict_as_the_folder(
    lost_gpu: Path, tmp_path: Path
) -> None:
    packed = tmp_path / "logs.tar.gz"
    with tarfile.open(packed, "w:gz") as archive:
        for path in sorted(lost_gpu.rglob("*.log")):
            archive.add(path, path.relative_to(lost_gpu).as_posix())
    one, other = _run("--format", "json", str(lost_gpu)), _run("--format", "json", str(packed))
    assert json.loads(one[1])["verdict"] == json.loads(other[1])["verdict"]


def test_generic_text_on_standard_input_leaves_with_three_and_needs_no_settings() -> None:
    line = b"ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\n"  # noqa: E501  a line of a log
    assert _bare("-", stdin=line).returncode == 3


@pytest.mark.parametrize("arguments", [("nowhere.log",), (), ("--explain", "no-such")])
def test_unusable_input_leaves_with_two_and_says_what_to_do(arguments: tuple[str, ...]) -> None:
    code, _, said = _run(*arguments)
    assert code == 2
    assert said


# As of a generator of random numbers, the same each time.
RANDOM = b"".join(hashlib.sha256(bytes([n])).digest() for n in range(128))
SHAPELESS = "has a shape that training, kernel or scheduler logs have"


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("zeros.log", b"\0" * 4096 + b"\n", "bytes that are no text"),
        ("random", RANDOM, "bytes that are no text"),
        ("session.log", b"", "it is empty"),
        ("train", b"\x7fELF\x02\x01" + b"\0" * 90 + b"\nSegmentation fault\n", "a program"),
        ("paper.pdf", b"%PDF-1.4\nCUDA out of memory\n", "a PDF"),
        ("logs.zip", b"PK\x03\x04 and so on", "unpack it"),
    ],
)
def test_what_is_no_log_gets_a_sentence_and_no_verdict(
    name: str, body: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(body)
    code, text, complaint = _run(str(path))
    assert (code, text) == (2, "")
    assert said in complaint
    assert name in complaint
    assert "dmesg" in complaint


@pytest.mark.parametrize(
    ("name", "body", "count"),
    [
        ("notes.txt", b"hello world\n", 1),
        ("list.json", b'[{"a": 1}, {"b": [2]}]\n', 1),
        ("notes.cfg", b"# one\n# two\n", 2),
        ("korean.log", "실행이 멈췄습니다\n".encode("euc-kr"), 1),
    ],
)
def test_a_text_is_never_refused_however_little_it_says(
    name: str, body: bytes, count: int, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(body)
    code, text, caution = _run(str(path))
    assert code == 3
    assert "Unknown" in text
    assert f"{name}: no line in it ({count} read) {SHAPELESS}" in caution


def test_standard_input_that_is_no_log_gets_the_sentence_too() -> None:
    found = _bare("-", stdin=b"hello world\n")
    assert found.returncode == 3
    assert f"standard input: no line in it (1 read) {SHAPELESS}" in found.stderr.decode()


def test_a_folder_without_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "core.1").write_bytes(b"\x7fELF and so on\n")
    assert "no file of text in this folder" in _run(str(tmp_path))[2]


@pytest.mark.parametrize(
    "line",
    [
        "[    9.100000] a kernel's word",
        "2026-01-02 10:00:00 a dated word",
        "[rank3]: a word of a rank",
    ],
)
def test_a_log_without_a_known_failure_is_unknown_all_the_same(line: str, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"{line}\n")
    assert _run(str(path))[0] == 3


def test_what_a_person_calls_a_kernel_log_is_believed_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "n1.log"
    path.write_text("a quiet kernel\n")
    assert _run("--kernel", str(path))[0] == 3


def test_a_file_that_is_no_log_beside_one_that_is_changes_no_verdict(
    lost_gpu: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("hello world\n")
    (tmp_path / "train").write_bytes(b"\x7fELF\nSegmentation fault\n")
    alone = json.loads(_run("--format", "json", str(lost_gpu))[1])
    beside = json.loads(_run("--format", "json", str(lost_gpu), str(tmp_path))[1])
    assert beside["verdict"] == alone["verdict"]


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("noise.log", RANDOM, "it holds bytes that are no text"),
        ("core.1", b"\x7fELF and so on\n", "it is a program or the memory of one (ELF)"),
        ("node2.log.xz", b"\xfd7zXZ\x00 and so on\n", "it is compressed by xz: unpack it"),
        ("empty.log", b"", "it is empty"),
    ],
)
def test_a_file_that_holds_no_text_is_named_beside_those_that_do(
    name: str, body: bytes, said: str, tmp_path: Path
) -> None:
    good, bad = tmp_path / "good.log", tmp_path / name
    good.write_text("[rank3]: KeyError: 'a'\n")
    bad.write_bytes(body)
    alone = _run(str(good))
    assert _run(str(bad), str(good)) == (*alone[:2], f"not read: {bad}: {said}\n")
    assert alone[2] == ""


def test_of_a_folder_what_holds_no_text_is_named_but_for_what_is_empty(tmp_path: Path) -> None:
    folder = _folder(tmp_path / "logs", {"rank0.log": "[rank0]: KeyError: 'a'\n", "rank1.log": ""})
    for number in range(12):
        (folder / f"core.{number:02d}").write_bytes(b"\x7fELF and so on\n")
    said = _run(str(folder))[2]
    assert said.startswith(f"not read: {folder}/core.00: it is a program")
    assert said.endswith("; and 2 more\n")
    assert "rank1.log" not in said


def test_cases_are_answered_one_a_line(tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    text = "[ 9.1] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus."
    log = {"stream": "kernel", "host": "n1", "rank": None, "text": text}
    cases.write_text(
        "\n".join(json.dumps({"id": name, "logs": [log]}) for name in ("a", "b")) + "\n"
    )
    answers = [json.loads(line) for line in _run("--cases", str(cases))[1].splitlines()]
    named = [(one["id"], one["verdict"]["cause"]) for one in answers]
    assert named == [("a", "gpu-off-bus"), ("b", "gpu-off-bus")]


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ({"log": []}, "1: there is no key `log` here; did you mean `logs`?"),
        ({"id": "a"}, "1: `logs` is missing"),
        ({"logs": {}}, "must be a list"),
        ({"logs": [[]]}, "logs[0]: not an object"),
        ({"logs": [{}, {"hots": "n1"}]}, "logs[1]: there is no key `hots`"),
        ({"logs": [{"hots": "n1"}]}, "did you mean `host`?"),
        ({"logs": [{"stream": "kernal"}]}, "did you mean `kernel`?"),
        ({"logs": [{"tz": "Korea"}]}, "did you mean `Asia/Seoul`?"),
        ({"logs": [{"text": 5}]}, "`text` must be a text"),
        ({"logs": [{"rank": "3"}]}, "`rank` must be a whole number"),
    ],
)
def test_what_a_case_says_that_nobody_reads_is_refused(
    case: object, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case))
    code, text, error = _run("--cases", str(path))
    assert (code, text) == (2, "")
    assert told in error


def test_a_case_may_say_more_of_itself_and_that_nobody_knows_whose_log_it_is(
    tmp_path: Path,
) -> None:
    text = "[ 9.1] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus."
    log = {"stream": "other", "host": None, "rank": None, "text": text}
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"id": "a", "layer": "gpu", "notes": "mine", "logs": [log]}))
    assert json.loads(_run("--cases", str(path))[1])["verdict"]["cause"] == "gpu-off-bus"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nvrm-xid-79", "+8.0 gpu-off-bus: the driver reports"),
        ("79", "nvrm-xid-79 (initiating, gpu)"),
        ("gpu-off-bus", "+8.0 the driver reports that the GPU fell off the bus"),
    ],
)
def test_a_signature_and_a_cause_are_explained(name: str, told: str) -> None:
    code, text, _ = _run("--explain", name)
    assert code == 0
    assert told in text


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nvrm-xid-7", "did you mean `nvrm-xid-79`?"),
        ("gpu-of-bus", "did you mean `gpu-off-bus`?"),
        ("zzzz", "causes stand behind `cause`"),
    ],
)
def test_what_has_no_explanation_is_refused_with_what_was_meant(name: str, told: str) -> None:
    code, _, error = _run("--explain", name)
    assert code == 2
    assert told in error


def test_the_report_comes_as_markdown_and_html_too(lost_gpu: Path) -> None:
    assert _run("--format", "md", str(lost_gpu))[1].startswith("## Why did it stop?")
    page = _run("--format", "html", str(lost_gpu))[1]
    assert page.startswith("<!doctype html>")
    assert "<script" not in page


def test_series_of_a_range_query_count_as_evidence(tmp_path: Path) -> None:
    labels = {"__name__": "DCGM_FI_DEV_XID_ERRORS", "Hostname": "n1", "gpu": "3"}
    values = [[1_790_000_000 + 30 * i, "0" if i < 20 else "79"] for i in range(40)]
    answer = {
        "status": "success",
        "data": {"resultType": "matrix", "result": [{"metric": labels, "values": values}]},
    }
    path = tmp_path / "xid.json"
    path.write_text(json.dumps(answer))
    code, text, _ = _run("--metrics", str(path), "--format", "json")
    said = json.loads(text)["verdict"]
    assert (code, said["cause"], said["culprits"][0]["gpu"]["index"]) == (0, "gpu-off-bus", 3)
