"""A child of the supervisor, alone."""

import os
import sys
from pathlib import Path
from threading import Event

import pytest

from apps.operations.servers import processes
from apps.operations.servers.processes import Child, ProcessFailed, Program

# Writes a line whenever it is asked to, with a number that goes on.
WRITER = """
import sys
for number, _ in enumerate(iter(sys.stdin.readline, "")):
    print(number, flush=True)
"""


def test_a_log_that_grew_too_long_is_put_aside_and_the_process_writes_on(tmp_path: Path) -> None:
    log = tmp_path / "log" / "child.log"
    pace = tmp_path / "pace"
    os.mkfifo(pace)
    child = Child(
        Program(
            name="child",
            argv=["/bin/sh", "-c", f"exec {sys.executable} -c '{WRITER}' <{pace}"],
            is_ready=lambda: True,
            log=log,
            environment=os.environ,
        )
    )
    with pace.open("w") as asked:
        asked.write("\n" * 5)
        asked.flush()
        wait_for(log, "4\n")
        child.keep_log_short(limit=5)
        asked.write("\n")
        asked.flush()
        wait_for(log, "5\n")
        child.keep_log_short(limit=5)
    child.stop()

    assert log.with_suffix(".1.log").read_text() == "0\n1\n2\n3\n4\n"
    assert log.read_text() == "5\n"


def _slow(tmp_path: Path, command: str) -> Child:
    return Child(
        Program(
            name="slow",
            argv=["/bin/sh", "-c", command],
            is_ready=(tmp_path / "mark").exists,
            log=tmp_path / "slow.log",
            environment=os.environ,
        )
    )


def test_who_waits_for_a_slow_start_is_told_what_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "WORD_SECONDS", 0.2)
    told: list[str] = []
    child = _slow(tmp_path, f"sleep 0.8; touch {tmp_path}/mark; sleep 30")
    child.wait_ready(seconds=20, pause=Event(), say=told.append)
    child.stop()
    assert "slow runs and is not ready after 0 s: waiting for it, 20 s at most" in told[0]
    assert str(tmp_path / "slow.log") in told[0]
    assert len(told) < 5


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo no room; exit 3", r"(?s)exit code 3.*no room"),
        ("sleep 30", "was not ready after 0 s"),
    ],
)
def test_nobody_waits_for_what_ended_or_for_ever(tmp_path: Path, command: str, why: str) -> None:
    child = _slow(tmp_path, command)
    with pytest.raises(ProcessFailed, match=why):
        child.wait_ready(seconds=0.4 if "sleep" in command else 20, pause=Event())
    child.stop()


def wait_for(log: Path, end: str) -> None:
    """Return once the log ends so."""
    for _ in range(200):
        if log.read_text().endswith(end):
            return
        Event().wait(0.05)
    raise TimeoutError(log.read_text())
