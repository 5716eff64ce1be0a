"""`make mutants`: put a seeded sample of small faults into each app and count what tests notice.

All faults of the sample are there at once, and one is turned on at a time, in a fork of one session
(`tests/mutants/session.py`). One that is met at import already and survives is tried once more in a
process of its own: what is made at import, or remembered of calls, holds what was there then.
Programs that a test starts run without a fault. Leaves with 1 where less than nine tenths of an
app's faults are noticed.
"""

import os
import random
import sys
import tomllib
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

import pytest

from tests.mutants.coverage_map import files_for
from tests.mutants.faults import Fault, faults_of
from tests.mutants.imported import PYTEST, is_noticed
from tests.mutants.session import BESIDE, FaultSession, Trial
from tests.mutants.switch import FaultyImport, Switch

ROOT = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
LEAST_SHARE = 0.9
SKIPPED = frozenset({"migrations", "__pycache__"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each fault and what became of it, then the counts of each app."""
    parser = ArgumentParser(prog="tests.mutants", description=__doc__)
    parser.add_argument("paths", nargs="*", help="apps or modules below the root (all apps)")
    parser.add_argument("--count", type=int, default=5, help="faults of each (5)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (1)")
    parser.add_argument("--limit", type=int, default=120, help="seconds for one test (120)")
    given = parser.parse_args(arguments)
    places = [Path(one) for one in given.paths] or _apps()
    samples = [_sample(place, given.count, given.seed) for place in places]
    # In turn, so that a run that is broken off says something of each.
    sampled = [one for turn in zip_longest(*samples) for one in turn if one is not None]
    trials = [
        Trial(number=number, place=place, module=module, fault=fault, files=_files(module))
        for number, (place, module, fault) in enumerate(sampled)
    ]
    before = dict(os.environ)
    switch = Switch()
    switch.install()
    FaultyImport(_by_module(trials)).install()
    session = FaultSession(root=ROOT, trials=trials, switch=switch, seconds=given.limit)
    files = {str(file) for trial in trials for file in trial.files}
    ended = pytest.main([*PYTEST, *sorted({*files, BESIDE})], plugins=[session])
    if ended:
        return int(ended)
    os.environ.clear()  # the next session has servers of its own
    os.environ.update(before)
    results = Counter[tuple[Path, str]]()
    for trial, end in session.ends:
        last = end
        if end != "killed" and trial.number in session.early and is_noticed(trial):
            last = "killed"
            print(trial.ended(last), flush=True)  # noqa: T201
        results[trial.place, last] += 1
    shares = [_told(place, results) for place in places]
    return int(min(shares) < LEAST_SHARE)


def _apps() -> list[Path]:
    return sorted(one.relative_to(ROOT) for one in (ROOT / "apps").iterdir() if _is_app(one))


def _is_app(path: Path) -> bool:
    return (path / "__init__.py").exists()


def _sample(place: Path, count: int, seed: int) -> list[tuple[Path, Path, Fault]]:
    """Return some faults of an app or module, of the same seed and code the same ones first."""
    root = ROOT / place
    modules = [root] if root.is_file() else sorted(root.rglob("*.py"))
    spared = tomllib.loads(EQUIVALENT.read_text("utf-8"))
    every = [
        (place, module.relative_to(ROOT), fault)
        for module in modules
        if not SKIPPED & set(module.parts)
        for fault in faults_of(source=module.read_text("utf-8"))
        if fault.name not in spared.get(str(module.relative_to(ROOT)), {})
    ]
    chance = random.Random(f"{seed} {place}")  # noqa: S311  repeatable, not secret
    return chance.sample(every, len(every))[:count]


def _files(module: Path) -> tuple[Path, ...]:
    return files_for(root=ROOT, module=module)


def _by_module(trials: Sequence[Trial]) -> Mapping[Path, Mapping[int, Fault]]:
    found = defaultdict[Path, dict[int, Fault]](dict)
    for trial in trials:
        found[trial.module][trial.number] = trial.fault
    return found


def _told(place: Path, results: Counter[tuple[Path, str]]) -> float:
    found = {result: count for (one, result), count in results.items() if one == place}
    killed, total = found.get("killed", 0), sum(found.values())
    rest = ", ".join(f"{count} {name}" for name, count in sorted(found.items()) if name != "killed")
    print(f"{place}: {killed} of {total} noticed{'; ' if rest else ''}{rest}")  # noqa: T201
    return killed / total if total else 1.0


if __name__ == "__main__":
    sys.exit(main())
