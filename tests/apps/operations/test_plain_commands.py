"""Each option of the commands that need no portal, as people run them: in a process of its own."""

import csv
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings

from apps.operations.command_line.commands import PLAIN
from apps.operations.command_line.options import OPTIONS
from tests.apps.sharing.signing.answers import KEY_NAME as ANSWER_KEY
from tests.apps.sharing.signing.answers import made as answer_made
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast.bundle_files import bundle
from tests.cast.step_traces import Job, draw
from tests.live.real_prometheus import exporting, needs_prometheus, prometheus
from tests.live.serving import free_port

START = 1_790_000_000  # 2026-09-21 14:13:20 UTC
LOST_AT = START + 5400
LOG = (
    "{start}{zone} n1 trainer[71]: step 1 loss 2.0\n"
    "{end}{zone} n1 trainer[71]: RuntimeError: NCCL error: unhandled system error\n"
)
DATED = LOG.format(start="2026-09-21T14:20:00", end="2026-09-21T15:43:50", zone="Z")
# The same instants as a clock in Seoul shows them.
PRINTED = LOG.format(start="2026-09-21T23:20:00", end="2026-09-22T00:43:50", zone="")
# Of a portal that only these variables could break: no plain command asks for its settings.
BROKEN = {"PORTAL_DATABASE_URL": "nonsense", "PORTAL_VAR": "/proc/none"}


def manage(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command like somebody in a shell that no test prepared."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PORTAL", "DJ"))
    }
    return subprocess.run(  # noqa: S603  our own command
        [sys.executable, "manage.py", *words],
        cwd=settings.BASE_DIR,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """Return a folder with something for each option that reads a file."""
    (tmp_path / "n1.log").write_text(DATED)
    (tmp_path / "printed.log").write_text(PRINTED)
    (tmp_path / "cases.jsonl").write_text(
        json.dumps({"id": "a", "logs": [{"stream": "session", "host": "n1", "text": DATED}]})
    )
    with (tmp_path / "xid.csv").open("w") as table:
        rows = [(START + 30 * i, "n1", 3, 79 if 30 * i >= 5400 else 0) for i in range(200)]
        csv.writer(table).writerows([("time", "Hostname", "gpu", "DCGM_FI_DEV_XID_ERRORS"), *rows])
    with (tmp_path / "node.csv").open("w") as table:
        values = np.random.default_rng(3).normal(size=(600, 2)).round(3).tolist()
        csv.writer(table).writerows([("a", "b"), *values])
    with (tmp_path / "steps.csv").open("w") as table:
        columns = draw(Job(seed=1, replicas=2, stages=2, steps=2)).columns
        csv.writer(table).writerows([columns, *zip(*columns.values(), strict=True)])
    bundle(tmp_path)
    (tmp_path / "answer.json").write_bytes(answer_made())
    return tmp_path


def words_of(inputs: Path, nobody: str) -> dict[tuple[str, str], Sequence[str]]:
    """Return a command line for each option of each plain command."""
    log, table = str(inputs / "n1.log"), str(inputs / "node.csv")
    into = ("--into", str(inputs / "out.tar.gz"))
    sent = str(inputs / "BND-1.zip")
    steps = str(inputs / "steps.csv")
    stated = str(inputs / "answer.json")
    digest = hashlib.sha256(Path(sent).read_bytes()).hexdigest()
    here = ("collect", "--nodes", "no-such-node", "--over", "ssh", *into)
    return {
        ("diagnose", "--session"): ("diagnose", "--session", log),
        ("diagnose", "--kernel"): ("diagnose", "--session", log, "--kernel", log),
        ("diagnose", "--scheduler"): ("diagnose", "--session", log, "--scheduler", log),
        ("diagnose", "--storage"): ("diagnose", "--session", log, "--storage", log),
        ("diagnose", "--metrics"): ("diagnose", log, "--metrics", nobody),
        ("diagnose", "--tz"): ("diagnose", log, "--tz", "Asia/Seoul", "--metrics", nobody),
        ("diagnose", "--job"): ("diagnose", log, "--job", "4711"),
        ("diagnose", "--follow-links"): ("diagnose", str(inputs), "--follow-links"),
        ("diagnose", "--format"): ("diagnose", log, "--format", "html"),
        ("diagnose", "--language"): ("diagnose", log, "--language", "ko"),
        ("diagnose", "--explain"): ("diagnose", "--explain", "79"),
        ("diagnose", "--cases"): ("diagnose", "--cases", str(inputs / "cases.jsonl")),
        ("detect", "--train"): ("detect", table, "--train", table),
        ("detect", "--format"): ("detect", table, "--format", "json"),
        ("detect", "--language"): ("detect", table, "--language", "ko"),
        ("detect", "--step"): ("detect", table, "--step", "30"),
        ("detect", "--pages-per-day"): ("detect", table, "--pages-per-day", "2"),
        ("detect", "--rank"): ("detect", table, "--rank", "5:9"),
        ("stragglers", "--format"): ("stragglers", steps, "--format", "json"),
        ("stragglers", "--language"): ("stragglers", steps, "--language", "ko"),
        ("collect", "--job"): ("collect", "--job", "4711", *into),
        ("collect", "--nodes"): here,
        ("collect", "--output"): (*here, "--output", log),
        ("collect", "--from"): (*here, "--from", "2026-09-21T14:00"),
        ("collect", "--to"): (*here, "--from", "2026-09-21T14:00", "--to", "2026-09-21T15:00"),
        ("collect", "--over"): here,
        ("collect", "--redact"): (*here, "--redact", "all"),
        ("collect", "--into"): here,
        ("verify_answer", "--key"): ("verify_answer", stated, "--key", ANSWER_KEY),
        ("verify_answer", "--request"): ("verify_answer", stated, "--request", "REQ-1"),
        ("verify_answer", "--incident"): ("verify_answer", stated, "--incident", "INC-1"),
        ("verify_bundle", "--sha256"): ("verify_bundle", sent, "--sha256", digest),
        ("verify_bundle", "--logs"): ("verify_bundle", sent, "--logs", str(inputs / "lines")),
    }


@pytest.mark.sweep
def test_no_option_of_a_plain_command_ends_in_a_traceback(inputs: Path) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    lines = words_of(inputs, nobody)

    assert {(name, one) for name in PLAIN for one in OPTIONS[name]} == lines.keys()
    for words in lines.values():
        done = manage(*words, **BROKEN)
        assert "Traceback" not in done.stderr, words
        assert done.returncode in {0, 2, 3}, (words, done.stderr)


@pytest.mark.parametrize("log", ["n1.log", "printed.log"])
def test_a_server_that_nobody_runs_is_named_in_one_line(inputs: Path, log: str) -> None:
    place = f"127.0.0.1:{free_port()}"

    done = manage("diagnose", str(inputs / log), "--metrics", f"http://{place}")

    assert (done.returncode, done.stdout) == (2, "")
    assert place in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_server_tells_the_zone_and_what_broke(inputs: Path) -> None:
    world = World()
    world.add("DCGM_FI_DEV_XID_ERRORS", lambda at: np.where(at >= LOST_AT, 79.0, 0.0), **PART)
    world.add("DCGM_FI_DEV_GPU_UTIL", _busy, **PART)

    with serving(world) as url:
        done = manage("diagnose", str(inputs / "printed.log"), "--metrics", url)

    assert "taken as UTC+09:00" in done.stderr
    assert "gpu-off-bus" in done.stdout


@needs_prometheus
def test_a_real_server_is_asked_by_the_command_in_a_process_of_its_own(
    inputs: Path, tmp_path: Path
) -> None:
    (tmp_path / "prom").mkdir()
    at = [START + 15 * i for i in range(500)]
    xids = "\n".join(
        f'DCGM_FI_DEV_XID_ERRORS{{Hostname="n1",gpu="3"}} {79 if one >= LOST_AT else 0} {one}'
        for one in at
    )
    history = f"# TYPE DCGM_FI_DEV_XID_ERRORS gauge\n{xids}\n# EOF\n"

    with (
        exporting() as exporter,
        prometheus(directory=tmp_path / "prom", exporter=exporter, history=history) as url,
    ):
        done = manage("diagnose", str(inputs / "n1.log"), "--metrics", url, "--format", "json")

    assert json.loads(done.stdout)["verdict"]["cause"] == "gpu-off-bus"


PART = {"Hostname": "n1", "gpu": "3"}


def _busy(at: np.ndarray) -> np.ndarray:
    """Return the work of a GPU while the session ran, and none else."""
    return np.where((at >= START + 400) & (at <= START + 5430), 96.0, 0.0)
