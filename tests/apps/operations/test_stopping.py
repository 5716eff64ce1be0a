"""Asked to stop, children have the same moment together; asked again, they have none."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from django.conf import settings

from tests.running import processes_of, read_until

pytestmark = pytest.mark.sweep
STUBBORN = "trap : INT TERM; while :; do sleep 1; done"
SUPERVISED = """
import os, signal, sys
from pathlib import Path
from apps.operations.servers.processes import AskedToStop, Program
from apps.operations.servers.supervisor import Supervisor

var, seconds, step = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
def program(name, **more):
    return Program(
        name=name, argv=["/bin/sh", "-c", sys.argv[4]], is_ready=lambda: True,
        log=var / f"{name}.log", environment={**os.environ, "PORTAL_VAR": str(var)},
        stop_seconds=seconds, **more,
    )
try:
    with Supervisor(var=var, say=lambda text: print(text, flush=True)) as running:
        running.start(program("server", is_server=True), program("other", is_server=True))
        running.start(*(program(f"user{number}") for number in range(3)))
        with running.interruptible("doing a long step"):
            print("working", flush=True)
            if step == "long":
                signal.pause()
        running.watch()
except AskedToStop as stopped:
    print(stopped, flush=True)
"""


@contextmanager
def supervised(var: Path, *, seconds: float, step: str = "") -> Iterator[subprocess.Popen[str]]:
    """Run five children that end by no word, until the block ends."""
    running = subprocess.Popen(  # noqa: S603  our own lines
        [sys.executable, "-c", SUPERVISED, str(var), str(seconds), step, STUBBORN],
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        read_until(running, "working")
        yield running
    finally:
        running.kill()
        running.communicate()


def living(var: Path) -> dict[int, str]:
    """Return who lives on; what was killed is seen for a moment longer, what was not goes on."""
    patience = monotonic() + 10
    while (found := processes_of(var)) and monotonic() < patience:
        Event().wait(0.05)
    return found


def test_children_that_do_not_end_cost_their_time_once_and_not_one_after_the_other(
    tmp_path: Path,
) -> None:
    with supervised(tmp_path, seconds=2) as running:
        begun = monotonic()
        running.send_signal(signal.SIGINT)
        said = read_until(running, "nothing")
        assert running.wait(30) == 0

    assert "stopping…" in said
    assert 3.5 < monotonic() - begun < 8  # who needs servers, then servers; five times 2 before
    assert living(tmp_path) == {}


def test_who_asks_again_waits_for_nobody(tmp_path: Path) -> None:
    with supervised(tmp_path, seconds=600) as running:
        running.send_signal(signal.SIGINT)
        assert "stopping" in read_until(running, "stopping")
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0

    assert living(tmp_path) == {}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_long_step_ends_where_it_is(tmp_path: Path, number: signal.Signals) -> None:
    with supervised(tmp_path, seconds=0.1, step="long") as running:
        running.send_signal(number)
        said = read_until(running, "nothing")
        assert running.wait(60) == 0

    assert "stopped while doing a long step" in said
    assert living(tmp_path) == {}
