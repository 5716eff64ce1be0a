"""One session of pytest for all faults: collected once, then a fork for each fault.

A fork begins as the session stands, with everything imported and one database for all; what a
fault does to it ends with it. The tests of a fault run one by one until the first that fails, and
that one has to pass in a fork without the fault.
"""

import gc
import json
import os
import signal
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pytest
from django.db import connections

from tests.mutants.faults import Fault
from tests.mutants.swap import FaultyImport, LoadedFunctions, module_name

# What an item that is no one's neighbour ends: the fixtures of the module before it.
BESIDE = "tests/mutants/test_faults.py"
SECONDS = 20  # of processor time for the tests of one fault, as many as are done within


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A fault of a module, and the files of tests that should notice it, the closest first."""

    place: Path
    module: Path
    fault: Fault
    files: tuple[Path, ...]


class FaultSession:
    """A plugin that runs trials in the place of tests."""

    def __init__(self, *, root: Path, trials: Sequence[Trial], seconds: int) -> None:
        """Take the trials, and the seconds that one test may take."""
        self.ends: list[tuple[Trial, str]] = []
        self._root = root
        self._trials = trials
        self._seconds = seconds
        self._passes: dict[str, bool] = {}
        self._has_failed = False
        self._last: pytest.Item
        self._loaded: LoadedFunctions

    @property
    def unfit(self) -> frozenset[str]:
        """Return the tests that fail without a fault."""
        return frozenset(name for name, passes in self._passes.items() if not passes)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run each trial and say how it ends."""
        items = defaultdict[Path, list[pytest.Item]](list)
        for item in session.items:
            items[item.path.relative_to(self._root)].append(item)
        self._last = items[Path(BESIDE)][0]
        self._make_database(session.items)
        gc.unfreeze()
        files = frozenset(str(self._root / trial.module) for trial in self._trials)
        self._loaded = LoadedFunctions(files)
        gc.freeze()
        for trial in self._trials:
            tests = [item for file in trial.files for item in items[file]]
            self.ends.append((trial, self._tried(trial, tests)))
            session.config.get_terminal_writer().line(line_of(*self.ends[-1]), flush=True)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that a test failed, or what is around it."""
        self._has_failed = self._has_failed or report.failed

    def _make_database(self, items: Sequence[pytest.Item]) -> None:
        """Run one test that needs the database: it stays for all forks, its connections don't."""
        of_database = (item for item in items if item.get_closest_marker("django_db"))
        if first := next(of_database, None):
            self._runs(first, self._last)
        connections.close_all()

    def _tried(self, trial: Trial, tests: Sequence[pytest.Item]) -> str:
        while True:
            fit = [item for item in tests if self._passes.get(item.nodeid, True)]
            if not fit:
                return "untested"
            failed = in_fork(lambda: self._first_failing(trial, fit))  # noqa: B023  ends here
            if failed in {"", "unchanged"}:
                return failed or "survived"
            if self._passes_as_is(failed, fit):
                return "killed"

    def _first_failing(self, trial: Trial, tests: Sequence[pytest.Item]) -> str:
        """Return the first test that notices a fault, "" for none."""
        if module_name(trial.module) not in sys.modules:
            FaultyImport(trial.fault, trial.module).install()
        elif not self._loaded.put_in(trial.fault, str(self._root / trial.module)):
            return "unchanged"
        return self._until_failure(tests)

    def _passes_as_is(self, name: str, tests: Sequence[pytest.Item]) -> bool:
        if name not in self._passes:
            alone = [item for item in tests if item.nodeid == name]
            self._passes[name] = in_fork(lambda: self._until_failure(alone)) == ""
        return self._passes[name]

    def _until_failure(self, tests: Sequence[pytest.Item]) -> str:
        manager = self._last.config.pluginmanager
        manager.unregister(name="terminalreporter")
        ends = spent() + SECONDS
        for item, following in zip(tests, [*tests[1:], self._last], strict=True):
            with _limited(self._seconds):
                passes = self._runs(item, following)
            if not passes or spent() > ends:
                # What stood for the next test of its file: servers do not end with this process.
                item.session._setupstate.teardown_exact(self._last)
                return "" if passes else item.nodeid
        return ""

    def _runs(self, item: pytest.Item, following: pytest.Item) -> bool:
        self._has_failed = False
        try:
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        except pytest.fail.Exception:  # out of time between its steps
            return False
        return not self._has_failed


def spent() -> float:
    """Return the processor time of this process and of those it waited for."""
    return sum(os.times()[:4])


def line_of(trial: Trial, end: str) -> str:
    """Return a line about a trial, for people."""
    return f"{end:9} {trial.module}:{trial.fault.line}: {trial.fault.name}"


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
    """Fail a test that takes longer, again and again should it not end by that."""

    def fail(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"not done within {seconds} s")

    before = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def in_fork(work: Callable[[], str]) -> str:
    """Return what a copy of this process says; one that ends without a word did not pass."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _answer(work, writing)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    said = json.loads(text or '{"failed": "ended"}')
    if "error" in said:
        raise RuntimeError(said["error"])
    return str(said["failed"])


def _answer(work: Callable[[], str], writing: int) -> NoReturn:
    try:
        said = {"failed": work()}
    except BaseException:  # noqa: BLE001  told to the one who waits
        said = {"error": traceback.format_exc()}
    with os.fdopen(writing, "w", encoding="utf-8") as answer:
        json.dump(said, answer)
    os._exit(0)
