"""One run: four replicas on this machine, of which one is killed, and what it leaves behind."""

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, Final

PROGRAM = Path(__file__).with_name("program.py")
REPLICAS, STEPS = 4, 90
KILLED, KILLED_AT_STEP = 2, 60
LIMIT = 180.0  # seconds; only what never ends meets it
QUIET: Final = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "PYTHONUNBUFFERED": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveredRun:
    """What a run told, and what its replicas printed."""

    events: tuple[dict[str, Any], ...]  # by time
    logs: dict[str, str]  # by rank
    exit_codes: tuple[int, ...]

    def as_json(self) -> str:
        """Return it as the project keeps it."""
        return json.dumps({"events": self.events, "logs": self.logs}, indent=1) + "\n"


def recovered(*, python: str, folder: Path, url: str = "", token: str = "") -> RecoveredRun:
    """Run the job, kill one replica in the middle, and wait until the others are done."""
    told = [url, token] if url else []
    with ExitStack() as stack:
        ranks = _started(python, folder, told, stack)
        try:
            _wait_for_step(folder, ranks)
            ranks[KILLED].send_signal(signal.SIGKILL)
            codes = tuple(each.wait(timeout=LIMIT) for each in ranks)
        finally:
            for each in ranks:
                each.kill()
                each.wait()
    return RecoveredRun(events=_events(folder), logs=_logs(folder), exit_codes=codes)


def _started(
    python: str, folder: Path, told: Sequence[str], stack: ExitStack
) -> list[subprocess.Popen[bytes]]:
    """Start the replicas; what they print beside their logs goes into files."""
    return [
        subprocess.Popen(  # noqa: S603  named by who runs the tests
            [python, str(PROGRAM), str(folder), str(rank), str(STEPS), *told],
            env={**os.environ, **QUIET},
            stderr=subprocess.STDOUT,
            stdout=stack.enter_context((folder / f"rank{rank}.out").open("wb")),
        )
        for rank in range(REPLICAS)
    ]


def _wait_for_step(folder: Path, ranks: list[subprocess.Popen[bytes]]) -> None:
    until = monotonic() + LIMIT
    while monotonic() < until and all(each.poll() is None for each in ranks):
        step = folder / f"rank{KILLED}.step"
        if step.exists() and int(step.read_text() or 0) >= KILLED_AT_STEP:
            return
        Event().wait(0.05)
    printed = "".join(path.read_text()[-800:] for path in sorted(folder.glob("*.out")))
    raise AssertionError(f"the job never came to step {KILLED_AT_STEP}: {printed}")


def _events(folder: Path) -> tuple[dict[str, Any], ...]:
    lines = [
        line for path in folder.glob("events-*.jsonl") for line in path.read_text().splitlines()
    ]
    return tuple(sorted(map(json.loads, lines), key=lambda each: (each["at"], each["id"])))


def _logs(folder: Path) -> dict[str, str]:
    return {
        path.stem.removeprefix("rank"): path.read_text()
        for path in sorted(folder.glob("rank*.log"))
    }
