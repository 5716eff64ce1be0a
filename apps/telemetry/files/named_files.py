"""Files that a person names one by one → the path that each would have inside their folder."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from apps.diagnosis.input_values import rank_number
from apps.diagnosis.model import Stream

STREAM_FOLDERS: Final = {stream.value: stream for stream in Stream}
# Tables are read elsewhere; `about` is for people (apps/collect).
NOT_TEXT: Final = frozenset({"metrics", "about"})
NAMED_FOLDERS: Final = frozenset({*STREAM_FOLDERS, *NOT_TEXT, "flight-recorder"})
# Of what lies above what was named, these say whose it is; `storage` may be a disk.
WITH_HOSTS: Final = frozenset({"session", "kernel", "bmc", "flight-recorder"})

OUTPUT_OF_JOB = re.compile(r"slurm-\d{1,12}(?:[_+]\d{1,9})?", re.ASCII)  # as sbatch names it
# File names that are kinds of logs, not hosts.
NOT_HOSTS = frozenset(
    {
        "dmesg",
        "kern",
        "kernel",
        "messages",
        "syslog",
        "journal",
        "slurmctld",
        "stdout",
        "stderr",
        "out",
        "err",
        "log",
    }
)


def is_named(part: str) -> bool:
    """Say whether a part of a path says what lies below it, or in it."""
    return part.split(".", maxsplit=1)[0] in NAMED_FOLDERS


def inside_of(*, paths: Sequence[Path]) -> dict[Path, str]:
    """Return what each file is called from where all of them lie, in whatever order they come."""
    if not paths:
        return {}
    full = {path: Path(os.path.abspath(path)) for path in paths}  # noqa: PTH100  keeps links
    root = Path(os.path.commonpath([one.parent for one in full.values()]))
    named = {path: within(root=root, inside=one.relative_to(root)) for path, one in full.items()}
    short = {path: _of_run(inside) for path, inside in named.items()}
    return short if len(set(short.values())) == len(set(named.values())) else named


def _of_run(inside: str) -> str:
    """Return a path without a disk that is called like a kind of logs: `/mnt/storage/run/1.log`."""
    parts = inside.split("/")
    at = next((i for i, part in enumerate(parts[:-1]) if part in NAMED_FOLDERS), 0)
    is_disk = at > 0 and parts[at] not in WITH_HOSTS | NOT_TEXT | {Stream.SCHEDULER}
    return "/".join(parts[at + 1 :]) if is_disk else inside


def within(*, root: Path, inside: Path) -> str:
    """Return a path below a folder, with the folders above that say what the folder holds.

    Whoever names `run/session` or `run/kernel/n1.log` means the same files as who names `run`.
    """
    parts = inside.parts
    name, above = root.name, root.parent.name
    if any(map(is_named, parts)):
        return inside.as_posix()
    if above in WITH_HOSTS:
        return "/".join((above, name, *parts))
    # In `session` lie folders of hosts and files of ranks: any other file may be called anything.
    is_told = len(parts) > 1 or name != "session" or parts[0].startswith("rank")
    return "/".join((name, *parts)) if name in WITH_HOSTS and is_told else inside.as_posix()


def found(*, root: Path, inside: str) -> Path:
    """Return the file that was called so in a folder that was named."""
    full = Path(os.path.abspath(root))  # noqa: PTH100  keeps links
    bases = (full, full.parent, full.parent.parent)
    below = (base / inside for base in bases if (base / inside).is_relative_to(full))
    return next((one for one in below if one.is_file()), root / inside)


def host_of(name: str) -> str | None:
    """Return the host by which a file of logs is called."""
    stem = name.split(".", 1)[0]
    is_host = stem and stem.lower() not in NOT_HOSTS and rank_of(name) is None
    return stem if is_host and not OUTPUT_OF_JOB.fullmatch(stem) else None


def rank_of(name: str) -> int | None:
    """Return the rank by which a file of logs is called."""
    stem = name.split(".", 1)[0]
    digits = stem.removeprefix("rank").lstrip("-_")
    return rank_number(digits) if stem.startswith("rank") else None
