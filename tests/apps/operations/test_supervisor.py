"""The supervisor as a person meets it: one copy, an orderly stop, no orphan, a named culprit."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.prepared import prepare
from tests.running import (
    environment,
    manage,
    portal,
    processes_of,
    read_until,
    wait_until_gone,
)

pytestmark = pytest.mark.sweep


@pytest.fixture
def var(tmp_path: Path) -> Path:
    """Return the directory of an installation that nobody is in, its logs there to be read."""
    return prepare(tmp_path / "var")


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """Return a portal that runs, for tests that leave it as it is."""
    var = prepare(tmp_path_factory.mktemp("up") / "var")
    with portal(var) as running:
        assert "Faultline is up" in read_until(running, "Faultline is up")
        yield var, running


def test_a_second_copy_is_refused_and_the_first_goes_on(
    up: tuple[Path, subprocess.Popen[str]],
) -> None:
    var, running = up
    with portal(var) as second:
        answer = read_until(second, "nothing")
        assert second.wait(10) == 1

    assert f"already runs on {var} (process {running.pid})" in answer
    assert running.poll() is None


def test_keys_are_readable_by_their_owner_alone(up: tuple[Path, subprocess.Popen[str]]) -> None:
    var, _ = up

    assert (var / "secret").stat().st_mode & 0o777 == 0o600
    assert (var / "run").stat().st_mode & 0o777 == 0o700
    assert len((var / "secret").read_text().strip()) >= 50


def test_who_sets_it_up_in_another_terminal_gets_links_to_where_it_runs(var: Path) -> None:
    variables = environment(var)
    base_url = variables["PORTAL_BASE_URL"]
    other = {name: value for name, value in variables.items() if name != "PORTAL_BASE_URL"}
    with portal(var, variables) as running:
        assert "`manage.py setup --file parties.yaml`" in read_until(running, "Nobody can sign in")
        words = ("--cluster", "m", "--organization", "aurora", "--part", "operator")

        assert f"{base_url}/join/" in manage("setup", *words, "--admin", "ada", variables=other)
        assert manage("link", "ada", variables=other).startswith(f"{base_url}/join/")

        assert len(processes_of(var)) > 6
        running.send_signal(signal.SIGINT)
        assert "stopping…" in read_until(running, "stopping")
        # `make bench` holds it to five seconds; a test must not fail on a busy machine.
        assert running.wait(30) == 0
        assert processes_of(var) == {}
    assert not (var / "address").exists()

    with portal(var, variables) as again:
        assert "Nobody can sign in" not in read_until(again, "Ctrl-C stops it")
        _ends_with(again, var, part="worker", command="celery --app portal --quiet worker")


def test_a_stop_during_the_first_start_is_an_orderly_one(tmp_path: Path) -> None:
    var = tmp_path / "var"
    with portal(var) as running:
        assert "bringing the tables" in read_until(running, "bringing the tables")

        running.send_signal(signal.SIGTERM)
        said = read_until(running, "nothing")
        assert running.wait(30) == 0
        assert re.search("stopped (before|while) bringing the tables up to date", said)
        assert processes_of(var) == {}


def test_killing_the_supervisor_leaves_no_orphan_and_the_next_start_is_clean(var: Path) -> None:
    with portal(var) as running:
        assert "Faultline is up" in read_until(running, "Faultline is up")
        running.kill()
        assert wait_until_gone(var, 5) == {}

    with portal(var) as again:
        assert "Faultline is up" in read_until(again, "Faultline is up")
        assert len(processes_of(var)) > 6
        _ends_with(again, var, part="Valkey", command="valkey-server")


def _ends_with(running: subprocess.Popen[str], var: Path, *, part: str, command: str) -> None:
    """Kill a child of a portal: it is named with its log, and everything stops."""
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    victim = next(
        pid
        for pid in children
        if command in Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    )
    os.kill(int(victim), signal.SIGKILL)

    said = read_until(running, "nothing")
    assert running.wait(10) == 1
    assert f"{part} ended (signal 9); its log is {var}/log/" in said
    assert processes_of(var) == {}
