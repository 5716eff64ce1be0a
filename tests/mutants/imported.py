"""A process of its own in which a fault is on at import, and that runs the closest tests."""

import multiprocessing
import os
import signal
import sys
from multiprocessing.synchronize import Event

import pytest

from tests.mutants.forks import spent
from tests.mutants.session import Trial
from tests.mutants.switch import FaultyImport, Switch

PYTEST = ("-n", "0", "-q", "-p", "no:cacheprovider")
MOST_FILES = 4
SECONDS = 20  # of processor time for its tests, as many as are done within
LONGEST = 600  # with its start


def is_noticed(trial: Trial) -> bool:
    """Say whether a test fails that passes without the fault that is there at import."""
    return _fails(trial, trial.number) and not _fails(trial, None)


def _fails(trial: Trial, on: int | None) -> bool:
    context = multiprocessing.get_context("spawn")
    has_begun = context.Event()
    process = context.Process(target=_run, args=(trial, on, has_begun))
    process.start()
    process.join(LONGEST)
    if process.is_alive() and process.pid:
        os.kill(process.pid, signal.SIGINT)  # its servers are to end as well
        process.join()
    if not has_begun.is_set():
        raise RuntimeError(f"no process for {trial.module}:{trial.fault.line}")
    return process.exitcode != 0


def _run(trial: Trial, on: int | None, has_begun: Event) -> None:
    has_begun.set()
    Switch(on).install()
    FaultyImport({trial.module: {trial.number: trial.fault}}).install()
    files = map(str, trial.files[:MOST_FILES])
    limit = TimeLimit()
    ended = pytest.main([*PYTEST, "-x", *files], plugins=[limit])
    stopped = limit.is_over and ended == pytest.ExitCode.INTERRUPTED
    sys.exit(0 if stopped else ended)


class TimeLimit:
    """A plugin that lets no more tests begin when their time is over."""

    def __init__(self) -> None:
        """Nothing began yet."""
        self.is_over = False
        self._session: pytest.Session
        self._ends: float | None = None

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Begin to count."""
        self._session = session
        self._ends = spent() + SECONDS

    def pytest_runtest_logfinish(self) -> None:
        """Look after a test at what was spent."""
        if self._ends and spent() > self._ends:
            self.is_over = True
            self._session.shouldstop = "enough tests"
