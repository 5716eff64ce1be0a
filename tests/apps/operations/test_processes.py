"""A child of the supervisor, alone."""

import os
import sys
from pathlib import Path
from threading import Event

from apps.operations.servers.processes import Child, Program

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


def wait_for(log: Path, end: str) -> None:
    """Return once the log ends so."""
    for _ in range(200):
        if log.read_text().endswith(end):
            return
        Event().wait(0.05)
    raise TimeoutError(log.read_text())
