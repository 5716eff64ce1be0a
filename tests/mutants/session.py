"""One session of pytest for all faults: collected once, then a fork for each file and each fault.

A fork begins as the session stands, with everything imported and one database for all; what a
fault does to it ends with it. A file of tests runs once without a fault, which tells the faults
that each of its tests comes by and how long it takes; with a fault in it, only those tests run
that come by it, until the first that fails.
"""

import gc
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.db import connections

from tests.mutants.faults import Fault
from tests.mutants.forks import at_most, in_fork, spent
from tests.mutants.switch import Switch

# What an item that is no one's neighbour ends: the fixtures of the module before it.
BESIDE = "tests/mutants/test_faults.py"
SECONDS = 20  # of processor time for the tests of one fault, as many as are done within
TIMES = 10  # as long as without a fault a test may take with one
LEAST_SECONDS = 5
TABLES_SECONDS = 900  # making all tables takes minutes on a busy machine

# Of tests that pass: which of a file, the faults it comes by, and its seconds.
Measured = list[tuple[int, list[int], float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A fault of a module, and the files of tests that should notice it, the closest first."""

    number: int
    place: Path
    module: Path
    fault: Fault
    files: tuple[Path, ...]

    def ended(self, end: str) -> str:
        """Return a line about it, for people."""
        return f"{end:9} {self.module}:{self.fault.line}: {self.fault.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How a test of a file goes without a fault."""

    item: pytest.Item
    faults: frozenset[int]
    seconds: float


class FaultSession:
    """A plugin that runs trials in the place of tests."""

    def __init__(
        self, *, root: Path, trials: Sequence[Trial], switch: Switch, seconds: int
    ) -> None:
        """Take the trials, their switch, and the seconds that one test may take."""
        self.ends: list[tuple[Trial, str]] = []
        self.early: frozenset[int] = frozenset()  # faults that are asked before any fork
        self._root = root
        self._trials = trials
        self._switch = switch
        self._seconds = seconds
        self._has_failed = False
        self._items: Mapping[Path, Sequence[pytest.Item]] = {}
        self._courses: dict[Path, Sequence[Course]] = {}
        self._last: pytest.Item

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run each trial and say how it ends."""
        items = defaultdict[Path, list[pytest.Item]](list)
        for item in session.items:
            items[item.path.relative_to(self._root)].append(item)
        self._items = items
        self._last = items[Path(BESIDE)][0]
        self._make_database(session.items)
        self.early = frozenset(self._switch.asked)
        gc.freeze()
        for trial in self._trials:
            self.ends.append((trial, self._tried(trial)))
            session.config.get_terminal_writer().line(trial.ended(self.ends[-1][1]), flush=True)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that a test failed, or what is around it."""
        self._has_failed = self._has_failed or report.failed

    def _make_database(self, items: Sequence[pytest.Item]) -> None:
        """Run one test that needs the database: it stays for all forks, its connections don't."""
        of_database = (item for item in items if item.get_closest_marker("django_db"))
        first = next(of_database, None)
        if first and not self._runs(first, self._last, TABLES_SECONDS):
            pytest.exit(f"{first.nodeid} fails without a fault", pytest.ExitCode.TESTS_FAILED)
        connections.close_all()

    def _tried(self, trial: Trial) -> str:
        """Go from file to file until a test notices the fault or enough of them did not."""
        left, is_met = float(SECONDS), False
        for file in trial.files:
            courses = [one for one in self._course(file) if trial.number in one.faults]
            if courses and left > 0:
                is_met = True
                begun = spent()
                if self._is_noticed(trial, sorted(courses, key=lambda one: one.seconds)):
                    return "killed"
                left -= spent() - begun
        return "survived" if is_met else "untested"

    def _course(self, file: Path) -> Sequence[Course]:
        """Return the tests of a file that pass without a fault."""
        if file not in self._courses:
            none: Measured = []
            found = in_fork(lambda: self._measured(self._items[file]), if_dead=none)
            self._courses[file] = [
                Course(item=self._items[file][at], faults=frozenset(asked), seconds=seconds)
                for at, asked, seconds in found
            ]
        return self._courses[file]

    def _measured(self, items: Sequence[pytest.Item]) -> Measured:
        """Return what each test comes by and how long it takes, if it passes."""
        self._last.config.pluginmanager.unregister(name="terminalreporter")
        found: Measured = []
        for at, item in enumerate(items):
            self._switch.asked.clear()
            begun = time.monotonic()
            following = items[at + 1] if at + 1 < len(items) else self._last
            if self._runs(item, following, self._seconds):
                found.append((at, sorted(self._switch.asked), time.monotonic() - begun))
        return found

    def _is_noticed(self, trial: Trial, courses: Sequence[Course]) -> bool:
        """Say whether one of these tests fails with a fault, and passes again without it."""
        name = in_fork(lambda: self._first_failing(trial.number, courses), if_dead="ended")
        again = [one for one in courses if one.item.nodeid == name] or courses
        return bool(name) and not in_fork(lambda: self._first_failing(None, again), if_dead="ended")

    def _first_failing(self, number: int | None, courses: Sequence[Course]) -> str:
        """Return the first test that fails with a fault, "" for none."""
        self._last.config.pluginmanager.unregister(name="terminalreporter")
        self._switch.on = number
        ends = spent() + SECONDS
        followers = [*courses[1:], None]
        for course, following in zip(courses, followers, strict=True):
            item = following.item if following else self._last
            limit = min(course.seconds * TIMES + LEAST_SECONDS, self._seconds)
            passes = self._runs(course.item, item, limit)
            if not passes or spent() > ends:
                # What stood for the next test of its file: servers do not end with this process.
                course.item.session._setupstate.teardown_exact(self._last)
                return "" if passes else course.item.nodeid
        return ""

    def _runs(self, item: pytest.Item, following: pytest.Item, seconds: float) -> bool:
        self._has_failed = False
        with at_most(seconds) as limit:
            try:
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            except BaseException:  # out of time between its steps, in whatever a plugin makes of it
                if not limit.is_over:
                    raise
                return False
        return not self._has_failed
