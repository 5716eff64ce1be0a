"""`make mutants`: put a seeded sample of small faults into each app and count what tests notice.

It works on a copy. Leaves with 1 where less than nine tenths of an app's faults are noticed.
"""

import random
import shutil
import subprocess
import sys
import tomllib
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.mutants.coverage_map import files_for
from tests.mutants.faults import Fault, faults_of

ROOT = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
LEAST_SHARE = 0.9
SKIPPED = frozenset({"migrations", "__pycache__"})
CHECK_SECONDS = 300
PYTEST = ("-m", "pytest", "-n", "0", "-x", "-q", "-p", "no:cacheprovider")
Sampled = tuple[Path, Fault]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each fault and what became of it, then the counts of each app."""
    parser = ArgumentParser(prog="tests.mutants", description=__doc__)
    parser.add_argument("paths", nargs="*", help="apps or modules below the root (all apps)")
    parser.add_argument("--count", type=int, default=5, help="faults of each (5)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (1)")
    parser.add_argument("--limit", type=int, default=120, help="seconds for a fault's tests (120)")
    given = parser.parse_args(arguments)
    places = [Path(one) for one in given.paths] or _apps()
    results = Counter[tuple[Path, str]]()
    with TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder)
        _copy_to(copy)
        for place in places:
            for module, fault in _sample(place, given.count, given.seed):
                result = _tried(copy, module, fault, given.limit)
                results[place, result] += 1
                print(f"{result:9} {module}:{fault.line}: {fault.name}", flush=True)  # noqa: T201
    shares = [_told(place, results) for place in places]
    return int(min(shares) < LEAST_SHARE)


def _apps() -> list[Path]:
    return sorted(one.relative_to(ROOT) for one in (ROOT / "apps").iterdir() if _is_app(one))


def _is_app(path: Path) -> bool:
    return (path / "__init__.py").exists()


def _copy_to(copy: Path) -> None:
    """Copy what git knows or would take, and the pages' scripts, which it ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=ROOT, capture_output=True, check=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name)
    if (ROOT / "static" / "vendor").is_dir():
        shutil.copytree(ROOT / "static" / "vendor", copy / "static" / "vendor")


def _sample(place: Path, count: int, seed: int) -> list[Sampled]:
    """Return some of the faults of an app or module: the same for the same seed and code."""
    root = ROOT / place
    modules = [root] if root.is_file() else sorted(root.rglob("*.py"))
    spared = tomllib.loads(EQUIVALENT.read_text("utf-8"))
    every = [
        (module.relative_to(ROOT), fault)
        for module in modules
        if not SKIPPED & set(module.parts)
        for fault in faults_of(source=module.read_text("utf-8"))
        if fault.name not in spared.get(str(module.relative_to(ROOT)), {})
    ]
    chance = random.Random(f"{seed} {place}")  # noqa: S311  repeatable, not secret
    return chance.sample(every, min(count, len(every)))


def _tried(copy: Path, module: Path, fault: Fault, limit: int) -> str:
    """Return what becomes of a fault. Its tests have to pass without it."""
    files = [str(one) for one in files_for(root=copy, module=module)]
    if not files:
        return "untested"
    if _ends(copy, files, CHECK_SECONDS) != 0:
        return "broken"
    path = copy / module
    before = path.read_bytes()
    path.write_text(fault.source, "utf-8")
    try:
        return "survived" if _ends(copy, files, limit) == 0 else "killed"
    finally:
        path.write_bytes(before)


def _ends(copy: Path, files: Sequence[str], limit: int) -> int | None:
    """Return how the tests ended, None where they did not within the time."""
    try:
        return subprocess.run(  # noqa: S603  our own tests
            [sys.executable, "-B", *PYTEST, *files], cwd=copy, capture_output=True, timeout=limit,
            check=False,
        ).returncode  # fmt: skip
    except subprocess.TimeoutExpired:
        return None


def _told(place: Path, results: Counter[tuple[Path, str]]) -> float:
    found = {result: count for (one, result), count in results.items() if one == place}
    killed, total = found.get("killed", 0), sum(found.values())
    rest = ", ".join(f"{count} {name}" for name, count in sorted(found.items()) if name != "killed")
    print(f"{place}: {killed} of {total} noticed{'; ' if rest else ''}{rest}")  # noqa: T201
    return killed / total if total else 1.0


if __name__ == "__main__":
    sys.exit(main())
