"""The command that people install: quick, complete, and helpful to who mistypes."""

import json
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.management import get_commands, load_command_class

from apps.operations.command_line import main
from apps.operations.command_line.commands import COMMANDS, PLAIN, SHELLS
from apps.operations.command_line.completion import script
from apps.operations.command_line.help_texts import GUIDES
from apps.operations.command_line.options import OPTIONS, SYNONYMS
from portal.home import data, folders

LOG = """\
2026-11-21T02:00:00Z rank0: Traceback (most recent call last):
2026-11-21T02:00:00Z rank0: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
"""
# Django's own, which every command has.
COMMON = {
    *("--help", "--version", "--settings", "--pythonpath", "--traceback", "--verbosity"),
    *("--no-color", "--force-color", "--skip-checks"),
}
WATCHED = """
import gc, json, sys, time
from apps.operations.command_line import main
searches = []
gc.callbacks.append(lambda phase, what: phase == "stop" and searches.append(len(sys.modules)))
sys.argv = ["faultline", *sys.argv[1:]]
try:
    main.main()
except SystemExit as end:
    sys.stdout.flush()
    code = end.code
else:
    code = 0
took = {"code": code, "seconds": time.process_time(), "modules": list(sys.modules)}
print(json.dumps({**took, "searches": searches, "collects": gc.isenabled()}), file=sys.stderr)
"""
# Made for much text, for several processes, for series of metrics, for `--version`.
ONLY_FOR_MORE = {
    *("hyperscan", "multiprocessing", "pyarrow", "apps.diagnosis.detection.detector_state"),
    *("apps.diagnosis.detection.watch", "importlib.metadata"),
}
COMMAND_MODULE = "apps.offline.management.commands.diagnose"
HEAVY = {"numpy", "django.db.models", "django.core.management", "celery", "redis", "psycopg"}


def run(*words: str) -> tuple[str, dict[str, Any]]:
    """Run the command in a process of its own; return what it wrote, and what it took."""
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "-c", WATCHED, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    told, _, last = done.stderr.rstrip().rpartition("\n")
    return done.stdout + told, json.loads(last)


Refused = Callable[..., tuple[str, object]]


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Return a way to run a command that ends early: what it wrote, and its exit code.

    Plain ones run in this process; the others change Django's parsers for good.
    """

    def outcome(*words: str) -> tuple[str, object]:
        if words[0] not in {*PLAIN, "completion"}:
            told, took = run(*words)
            return told, took["code"]
        monkeypatch.setattr(sys, "argv", ["faultline", *words])
        with pytest.raises(SystemExit) as end:
            main.main()
        return "".join(capsys.readouterr()), end.value.code

    return outcome


@pytest.mark.parametrize("words", [["--help"], ["diagnose", "--help"], ["completion", "bash"]])
def test_help_and_completion_load_nothing_and_take_no_time(words: list[str]) -> None:
    told, took = run(*words)

    assert "diagnose" in told
    assert not HEAVY & set(took["modules"])
    assert took["seconds"] < 0.5


def test_reading_a_file_needs_no_models_and_no_settings(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(LOG)

    told, took = run("diagnose", str(path))

    assert "ran out of GPU memory" in told
    assert not {"django.db.models", "portal.settings", "celery", "redis"} & set(took["modules"])


def test_a_small_log_without_metrics_loads_nothing_that_only_others_need(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(LOG)

    _, took = run("diagnose", str(path))

    loaded = set(took["modules"])
    assert "apps.diagnosis.signatures.match" in loaded
    assert not ONLY_FOR_MORE & loaded
    assert [one for one in loaded if one.startswith("apps.diagnosis.detection.detectors.")] == []


def test_what_a_start_imports_is_not_searched_for_garbage(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(LOG)

    _, took = run("diagnose", str(path))

    first, last = map(took["modules"].index, ("apps.diagnosis.model", COMMAND_MODULE))
    assert first < last
    assert [one for one in took["searches"] if first < one < last] == []
    assert took["collects"]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["diagnose", "x.log", "--formt", "json"], "did you mean `--format`?"),
        (["diagnose", "x.log", "--format", "jsn"], "did you mean `json`?"),
        (["diagnose", "x.log", "--tz", "Korea/Seoul"], "did you mean `Asia/Seoul`?"),
        (["detect", "x.csv", "--pages-per-dya=1"], "did you mean `--pages-per-day`?"),
        (["backtest", "x.csv", "--tz", "Korea"], "did you mean `Asia/Seoul`?"),
        (["diagnose", "--log", "x.log"], "did you mean `--session`?"),
        (["diagnose", "x.log", "--dmesg", "y.log"], "did you mean `--kernel`?"),
        (["collect", "--log", "x.log"], "did you mean `--output`?"),
        (["collect", "--hosts=a,b"], "did you mean `--nodes`?"),
        (["diagnose", "--explain", "gpu-of-bus"], "did you mean `gpu-off-bus`?"),
        (["diagnose", "--explain", "790"], "there is no Xid `790`; did you mean `79`?"),
        (["setup", "--fiel", "x"], "did you mean `--file`?"),
        (["backtest", "x", "--form", "2026-10-01"], "did you mean `--from` or `--format`?"),
        (["backtest", "x.csv", "--fai", "x"], "did you mean `--failures`?"),
        (["diagnose", "x.log", "--expl", "x"], "did you mean `--explain`?"),
        (["diagnos", "x.log"], "Did you mean diagnose?"),
        (["completion", "tcsh"], "bash, zsh, fish"),
    ],
)
def test_what_is_mistyped_is_refused_by_the_word_that_was_meant(
    words: list[str], meant: str, refused: Refused
) -> None:
    told, code = refused(*words)

    assert code not in {0, None}
    assert meant in told


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (
            ["diagnose", "logs/gpu01.lgo"],
            "or directory; did you mean `logs/gpu01.log`?",
        ),
        (["diagnose", "lgos/gpu01.log"], "did you mean `logs/gpu01.log`?"),
        (["diagnose", "logs/gpu01.log", "--metrics", "nod.csv"], "did you mean `node.csv`?"),
        (["diagnose", "--cases", "cases.jsonlines"], "did you mean `cases.jsonl`?"),
        (["detect", "nod.csv"], "did you mean `node.csv`?"),
        (["backtest", "nod.csv"], "did you mean `node.csv`?"),
        (["backtest", "node.csv", "--failures", "node.cvs"], "did you mean `node.csv`?"),
        (["restore", "cases.json"], "did you mean `cases.jsonl`?"),
        (["setup", "--file", "nod.csv", "--dry-run"], "did you mean `node.csv`?"),
        (["diagnose", "logs/zzzz"], "logs/zzzz: no such file or directory\n"),
    ],
)
def test_a_path_that_is_not_there_is_refused_with_the_one_beside_it(
    words: list[str],
    meant: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refused: Refused,
) -> None:
    (tmp_path / "logs").mkdir()
    for name in ("logs/gpu01.log", "node.csv", "cases.jsonl"):
        (tmp_path / name).write_text(LOG)
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))
    monkeypatch.chdir(tmp_path)

    told, code = refused(*words)

    assert code not in {0, None}
    assert meant in f"{told}\n"


def test_the_table_for_shells_is_what_the_commands_take() -> None:
    real: dict[str, dict[str, Sequence[str]]] = {name: {} for name in COMMANDS}
    for name in COMMANDS:
        if name == "completion":
            continue
        parser = load_command_class(get_commands()[name], name).create_parser("faultline", name)
        for action in parser._actions:
            for option in action.option_strings:
                if option.startswith("--") and option not in COMMON:
                    real[name][option] = tuple(map(str, action.choices or ()))

    assert real == OPTIONS
    assert set(COMMANDS) >= PLAIN


@pytest.mark.parametrize("name", sorted({*COMMANDS, *GUIDES} - {"completion"}))
def test_help_says_what_each_option_is_and_examples_that_can_be_typed(name: str) -> None:
    guide = GUIDES[name]
    app = get_commands()[name]
    parser = load_command_class(app, name).create_parser("faultline", name)

    assert [action.dest for action in parser._actions if not action.help] == []
    assert {0, *guide.codes} <= {0, 1, 2, 3}
    for words, what in guide.examples:
        given = [word.replace("…", "2026-10-01") for word in shlex.split(words) if word != "&"]
        parser.parse_args(given)
        assert what


@pytest.mark.parametrize("name", ["diagnose", "token"])
def test_help_ends_with_examples_and_exit_codes_and_names_nothing_of_django(name: str) -> None:
    told, took = run(name, "--help")

    assert took["code"] == 0
    assert "examples:\n  " in told
    assert told.rstrip().endswith("130  ended by Ctrl-C")
    assert "--pythonpath" not in told
    assert max(map(len, told.splitlines())) <= 100


def test_the_exit_codes_of_diagnose_are_those_in_its_help(tmp_path: Path) -> None:
    texts = {0: LOG, 2: "", 3: "2026-11-21T02:00:00Z rank0: step 1\n"}
    found = set()
    for code, text in texts.items():
        path = tmp_path / f"{code}.log"
        path.write_text(text)
        found.add((code, run("diagnose", str(path))[1]["code"]))

    assert found == {(code, code) for code in {0, *GUIDES["diagnose"].codes}}


def test_ctrl_c_ends_a_command_without_a_traceback() -> None:
    # What a shell runs beside itself ignores Ctrl-C, and so would what that starts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    running = subprocess.Popen(
        [sys.executable, "-m", "apps.operations.command_line", "diagnose", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    signal.signal(signal.SIGINT, before)
    assert running.stdin is not None
    running.stdin.write(b"x" * (1 << 20))  # more than a pipe holds: it reads when this is written
    running.stdin.flush()
    running.send_signal(signal.SIGINT)
    told, error = running.communicate(timeout=60)

    assert (running.returncode, told, error) == (130, b"", b"")


def test_two_options_are_not_alike_for_their_dashes() -> None:
    told, took = run("backtest", "x.csv", "--log", "y")

    assert took["code"] == 2
    assert "did you mean" not in told


def test_what_an_option_is_called_elsewhere_is_none_that_a_command_has() -> None:
    every = {option.removeprefix("--") for options in OPTIONS.values() for option in options}

    assert {each for meanings in SYNONYMS.values() for each in meanings} <= every
    assert [
        (name, other)
        for name, options in OPTIONS.items()
        for other, meanings in SYNONYMS.items()
        if f"--{other}" in options and any(f"--{each}" in options for each in meanings)
    ] == []


def completed(*words: str) -> list[str]:
    """Return what bash offers after these words."""
    source = script(shell="bash") + (  # noqa: S604  its name
        f"COMP_WORDS=({' '.join(word or chr(39) * 2 for word in words)})\n"
        f'COMP_CWORD={len(words) - 1}\n_faultline\necho "${{COMPREPLY[@]}}"\n'
    )
    done = subprocess.run(["bash", "-c", source], capture_output=True, text=True, check=True)  # noqa: S603, S607
    return done.stdout.split()


def test_bash_completes_commands_options_and_choices() -> None:
    assert completed("faultline", "de") == ["detect", "demo"]
    assert completed("faultline", "diagnose", "--for") == ["--format"]
    assert completed("faultline", "diagnose", "--format", "") == ["text", "json", "md", "html"]
    assert completed("faultline", "completion", "") == list(SHELLS)
    assert completed("faultline", "diagnose", "train") == []  # a file: the shell's own


def test_fish_is_offered_the_shells_after_completion_alone() -> None:
    offers = f"-f -a '{' '.join(SHELLS)}'"
    told = script(shell="fish")  # noqa: S604  its name
    lines = [line for line in told.splitlines() if offers in line]
    assert ["__fish_seen_subcommand_from completion'" in line for line in lines] == [True]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_their_script(shell: str, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(
            f"no {shell} here: its script was not read by it; install the package `{shell}`"
        )
    path = tmp_path / "script"
    path.write_text(script(shell=shell))

    done = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True, check=False)  # noqa: S603

    assert (done.returncode, done.stderr) == (0, "")


def test_an_installed_portal_keeps_its_data_with_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert data(base=tmp_path) == tmp_path / "data" / "faultline"
    assert folders(base=tmp_path, name="static") == []

    (tmp_path / "manage.py").touch()
    (tmp_path / "static").mkdir()
    assert data(base=tmp_path) == tmp_path / "var"
    assert folders(base=tmp_path, name="static") == [tmp_path / "static"]
