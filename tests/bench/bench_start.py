"""`manage.py diagnose` on one small file: processor seconds beyond importing Django and numpy.

`python -m tests.bench.bench_start [--turns 9]`. As it is installed, with its modules compiled. Both
commands run by turns, so that what else the machine does slows either.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tests.bench.bench_diagnose import ROOT, write_logs
from tests.bench.report import load

BYTES = 800_000  # of eight ranks, one of which is read
IMPORTS = ("-c", "import django.core.management, numpy")


def seconds_of(*words: str, environment: dict[str, str]) -> float:
    """Return the processor seconds that a command of this Python takes."""
    before = _processor()
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, *words],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode not in {0, 3}:
        raise SystemExit("start: the command failed")
    return _processor() - before


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _told(seconds: Sequence[float]) -> str:
    return f"{median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"


def main() -> None:
    """Print what the start and the answer take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9)
    turns = parser.parse_args().turns
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as name:
        write_logs(folder=Path(name), size=BYTES, hosts=1)
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{name}/compiled"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        (file, *_) = sorted(Path(name).glob("session/*/*.log"))
        commands = {"imports": IMPORTS, "answer": ("manage.py", "diagnose", str(file))}
        for words in commands.values():
            seconds_of(*words, environment=environment)  # compiles
        taken = [
            {key: seconds_of(*words, environment=environment) for key, words in commands.items()}
            for _ in range(turns)
        ]
    answers, imports = ([each[key] for each in taken] for key in ("answer", "imports"))
    beyond = [answer - base for answer, base in zip(answers, imports, strict=True)]
    print(  # noqa: T201
        f"start: {_told(beyond)} beyond the imports; answer {_told(answers)}, "
        f"imports {_told(imports)}, {load()}"
    )


if __name__ == "__main__":
    main()
