"""What a node is asked, and the way to it: on the spot, by srun, or by ssh."""

import shlex
import socket
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from apps.collect.asking import Ask, ProgramAnswer

AT_ONCE: Final = 16
NO_ENTRIES: Final = b"-- No entries --"
KERNEL, GPUS, FACTS = "kernel", "nvidia-smi", "facts"


class Way(StrEnum):
    """How a node is reached; `auto` finds out."""

    AUTO = "auto"
    SRUN = "srun"
    SSH = "ssh"
    LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAnswer:
    """What one node said to one question: a file in the folder, or why there is none."""

    node: str
    kind: str
    command: str
    path: Path
    answer: ProgramAnswer
    clock_ahead: float | None = None  # seconds, of the node against this machine
    clock_error: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How the nodes of one job are reached."""

    way: Way
    job_id: str = ""
    is_running: bool = False

    def command(self, *, node: str, script: str) -> list[str]:
        """Return the command that runs a script of the shell on a node."""
        way = self._way(node)
        if way is Way.LOCAL:
            return ["sh", "-c", script]
        if way is Way.SSH:
            options = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-n"]
            return ["ssh", *options, "--", node, f"sh -c {shlex.quote(script)}"]
        inside = ["--jobid", self.job_id, "--overlap"] if self.is_running else ["--immediate=30"]
        asked = ["--nodes=1", "--ntasks=1", "--time=5", "--quiet", f"--nodelist={node}"]
        return ["srun", *inside, *asked, "sh", "-c", script]

    def _way(self, node: str) -> Way:
        if self.way is not Way.AUTO:
            return self.way
        if node in _own_names():
            return Way.LOCAL
        return Way.SRUN if self.is_running else Way.SSH


def kernel_scripts(*, starts_at: datetime, ends_at: datetime) -> tuple[str, str]:
    """Return how the kernel's log of a span is read, and how where the journal has nothing."""
    since, until = int(starts_at.timestamp()), int(ends_at.timestamp()) + 1
    # `-k` would leave out the boot before this one, in which the node may have died.
    journal = (
        "journalctl --no-pager --quiet -o short-iso-precise _TRANSPORT=kernel"
        f" --since=@{since} --until=@{until}"
    )
    return journal, "dmesg --time-format iso"


FACTS_SCRIPT: Final = (
    "date +%s.%N; date +%Y-%m-%dT%H:%M:%S%z; uname -a; uptime -s 2>/dev/null; "
    "cat /proc/driver/nvidia/version 2>/dev/null; cat /proc/meminfo | head -3"
)


def ask_nodes(
    *, nodes: Sequence[str], route: Route, span: tuple[datetime, datetime], ask: Ask, folder: Path
) -> list[NodeAnswer]:
    """Ask all nodes, a few at once; what they say stands in the folder."""

    def one(node: str) -> list[NodeAnswer]:
        return [
            _kernel(node, route, span, ask, folder),
            _told(node, GPUS, "nvidia-smi -q", route, ask, folder),
            _facts(node, route, ask, folder),
        ]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [told for of_one in pool.map(one, nodes) for told in of_one]


def _kernel(
    node: str, route: Route, span: tuple[datetime, datetime], ask: Ask, folder: Path
) -> NodeAnswer:
    journal, ring = kernel_scripts(starts_at=span[0], ends_at=span[1])
    told = _told(node, KERNEL, journal, route, ask, folder)
    if told.answer.is_given and _says_something(told.path):
        return told
    again = _told(node, KERNEL, ring, route, ask, folder)
    if again.answer.is_given and _says_something(again.path):
        return again
    return again if told.answer.is_given else told


def _told(node: str, kind: str, script: str, route: Route, ask: Ask, folder: Path) -> NodeAnswer:
    into = folder / f"{kind}-{node}"
    answer = ask(route.command(node=node, script=script), into)
    return NodeAnswer(node=node, kind=kind, command=script, path=into, answer=answer)


def _facts(node: str, route: Route, ask: Ask, folder: Path) -> NodeAnswer:
    """Ask for versions, and how far the node's clock is from ours: half the way is the error."""
    asked_at = time.time()
    told = _told(node, FACTS, FACTS_SCRIPT, route, ask, folder)
    heard_at = time.time()
    first = told.path.read_text(errors="replace").partition("\n")[0] if told.path.exists() else ""
    try:
        ahead = float(first) - (asked_at + heard_at) / 2
    except ValueError:
        return told
    return NodeAnswer(
        node=node,
        kind=FACTS,
        command=FACTS_SCRIPT,
        path=told.path,
        answer=told.answer,
        clock_ahead=round(ahead, 3),
        clock_error=round((heard_at - asked_at) / 2, 3),
    )


def _says_something(path: Path) -> bool:
    with path.open("rb") as said:
        head = said.read(len(NO_ENTRIES)).strip()
    return bool(head) and head != NO_ENTRIES


def _own_names() -> frozenset[str]:
    own = socket.gethostname()
    return frozenset({own, own.partition(".")[0], "localhost"})
