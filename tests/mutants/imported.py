"""A process of its own that imports a module with a fault in it, and runs the closest tests."""

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from multiprocessing.synchronize import Event

import pytest

from tests.mutants.session import Trial, spent
from tests.mutants.swap import FaultyImport

PYTEST = ("-n", "0", "-q", "-p", "no:cacheprovider")
MOST_FILES = 4
SECONDS = 20  # of processor time for its tests, as many as are done within
LONGEST = 600  # with its start


def is_noticed(trial: Trial, unfit: Iterable[str]) -> bool:
    """Say whether a test fails, but those that are unfit, with a fault that is there at import."""
    context = multiprocessing.get_context("spawn")
    has_begun = context.Event()
    process = context.Process(target=_run, args=(trial, sorted(unfit), has_begun))
    process.start()
    process.join(LONGEST)
    if process.is_alive() and process.pid:
        os.kill(process.pid, signal.SIGINT)  # its servers are to end as well
        process.join()
    if not has_begun.is_set():
        raise RuntimeError(f"no process for {trial.module}:{trial.fault.line}")
    return process.exitcode != 0


def _run(trial: Trial, unfit: Sequence[str], has_begun: Event) -> None:
    has_begun.set()
    FaultyImport(trial.fault, trial.module).install()
    left_out = [f"--deselect={name}" for name in unfit]
    files = map(str, trial.files[:MOST_FILES])
    limit = TimeLimit()
    ended = pytest.main([*PYTEST, "-x", *left_out, *files], plugins=[limit])
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
