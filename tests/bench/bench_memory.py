"""Memory of all processes of a portal after the demo has sent its past and its live failure.

`python -m tests.bench.bench_memory [--seconds 120]` runs a demo of its own; `--var DIR` measures a
running one. Pages shared by processes are counted once between them (PSS); RSS counts them in each.
The simulator stands for machines of others: it is shown apart.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import django
import requests

from tests.bench.report import load

ROOT = Path(__file__).resolve().parents[2]
# Words in the command line of a direct child of the supervisor → what it is.
KINDS = {
    " simulate ": "simulator",
    "apps.operations.servers.web": "web",
    " beat ": "beat",
    " worker ": "worker",
    "valkey": "Valkey",
    "postgres": "PostgreSQL",
}
LIVE_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What some processes hold, in kB."""

    pss: int = 0
    rss: int = 0
    count: int = 0

    def __add__(self, other: "Memory") -> "Memory":
        """Return both together."""
        return Memory(
            pss=self.pss + other.pss, rss=self.rss + other.rss, count=self.count + other.count
        )


@contextmanager
def demo(var: Path) -> Iterator[None]:
    """Run a demo in a directory of its own until the block ends."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from tests import running  # noqa: PLC0415  needs settings

    variables = running.environment(var)
    del variables["PORTAL_WORKER_PROCESSES"]  # as many as any demo starts
    process = subprocess.Popen(
        [sys.executable, "manage.py", "demo"],
        cwd=ROOT,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said = running.read_until(process, "Ctrl-C stops")
        if "Ctrl-C stops" not in said:
            raise SystemExit(said)
        yield
    finally:
        process.terminate()
        process.communicate()


def supervisor_of(var: Path) -> int:
    """Return the process that holds the lock of an installation and whose parent does not."""
    lock = str((var / "lock").resolve())
    holders = {pid for pid in _pids() if lock in _open_files(pid)}
    found = [pid for pid in sorted(holders) if _parent(pid) not in holders]
    if not found:
        raise SystemExit(f"memory: nothing runs in {var}")
    return found[0]


def held(supervisor: int) -> Mapping[str, Memory]:
    """Return what each kind of process below a supervisor holds."""
    children: Mapping[int, list[int]] = defaultdict(list)
    for pid in _pids():
        children[_parent(pid)].append(pid)
    found: dict[str, Memory] = defaultdict(Memory)
    found["supervisor"] = memory_of(supervisor)
    for child in children[supervisor]:
        waiting = [child]
        kind = _kind(child)
        while waiting:
            pid = waiting.pop()
            waiting += children[pid]
            found[kind] += memory_of(pid)
    return found


def memory_of(pid: int) -> Memory:
    """Return what one process holds; nothing where it has just ended."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return Memory()
    fields = {name: value.split()[0] for name, _, value in (x.partition(":") for x in _lines(text))}
    return Memory(pss=int(fields["Pss"]), rss=int(fields["Rss"]), count=1)


def _lines(text: str) -> list[str]:
    return text.splitlines()[1:]


def _kind(pid: int) -> str:
    command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode() + " "
    return next((kind for word, kind in KINDS.items() if word in command), "other")


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]


def _parent(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return int(status.rpartition(")")[2].split()[1])


def _open_files(pid: int) -> set[str]:
    try:
        return {str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:
        return set()  # another user's, or it ended


def use(var: Path) -> tuple[int, int]:
    """Read as every party what people and machines read; return incidents and open batches."""
    demo_file = json.loads((var / "demo.json").read_text(encoding="utf-8"))
    seen: set[str] = set()
    for party in demo_file["organizations"]:
        base = f"{demo_file['base_url']}/api/v1/o/{party['slug']}"
        key = {"Authorization": f"Bearer {party['token']}"}
        for incident in _get(f"{base}/incidents/", key)["results"]:
            seen.add(incident["id"])
            for part in ("", "timeline/", "hypotheses/"):
                _get(f"{base}/incidents/{incident['id']}/{part}", key)
        browse(demo_file["base_url"], party, seen)
    ledger = var / "simulator" / "truth.jsonl"
    told = ledger.read_text(encoding="utf-8").splitlines() if ledger.exists() else []
    return len(seen), len(told)


def browse(base_url: str, party: Mapping[str, Any], incidents: set[str]) -> None:
    """Sign in as a person and open the pages."""
    with requests.Session() as browser:
        form = browser.get(f"{base_url}/sign-in/", timeout=30).text
        mark = 'name="csrfmiddlewaretoken" value="'
        secret = form.partition(mark)[2].partition('"')[0]
        values = {"username": party["user"], "password": party["password"]}
        browser.post(
            f"{base_url}/sign-in/",
            data=values | {"csrfmiddlewaretoken": secret},
            headers={"Referer": base_url},
            timeout=30,
        ).raise_for_status()
        pages = ["", "incidents/", "sources/", *(f"incidents/{each}/" for each in incidents)]
        answers = [
            browser.get(f"{base_url}/o/{party['slug']}/{page}", timeout=30) for page in pages
        ]
        if any(answer.status_code >= 500 for answer in answers):
            raise SystemExit("memory: a page failed")


def _get(url: str, key: Mapping[str, str]) -> Any:
    answer = requests.get(url, headers=dict(key), timeout=30)
    answer.raise_for_status()
    return answer.json()


def report(var: Path) -> None:
    """Print what each kind of process holds, and all of the portal's together."""
    incidents, told = use(var)
    found = dict(held(supervisor_of(var)))
    apart = found.pop("simulator", Memory())
    total = Memory()
    for kind in sorted(found):
        total += found[kind]
        print(  # noqa: T201
            f"  {kind:<11} {found[kind].pss / 1000:7,.0f} MB  (RSS {found[kind].rss / 1000:7,.0f})"
            f"  {found[kind].count} processes"
        )
    print(  # noqa: T201
        f"memory: {total.pss / 1000:,.0f} MB of {total.count} processes (RSS "
        f"{total.rss / 1000:,.0f}; simulator apart: {apart.pss / 1000:,.0f} MB), with {incidents} "
        f"incidents of {told} scenarios read by every party, {load()}"
    )


def main() -> None:
    """Measure a demo: a running one, or one of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--var", type=Path, help="of a demo that runs")
    parser.add_argument("--seconds", type=float, default=120, help="to wait after it is up")
    options = parser.parse_args()
    if options.var:
        report(options.var)
        return
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as folder, demo(Path(folder)):
        _wait(Path(folder), seconds=options.seconds)
        report(Path(folder))


def _wait(var: Path, *, seconds: float) -> None:
    # On a busy machine the live failure comes later: it belongs to what the demo does.
    pause, began = Event(), monotonic()
    ledger = var / "simulator" / "truth.jsonl"
    pause.wait(seconds)
    while monotonic() - began < seconds + LIVE_SECONDS:
        if ledger.exists() and '"live": true' in ledger.read_text(encoding="utf-8"):
            return
        pause.wait(2)


if __name__ == "__main__":
    main()
