"""A kernel's log that names no host is often called by it: `dgx07.dmesg`,
`dmesg-dgx07.txt`, `dgx07/kern.log`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from apps.diagnosis.model import Reading, Stream
from apps.diagnosis.observed import task_host
from apps.diagnosis.reasoning.scope.paths.placed import NOT_HOSTS, placed

KINDS = r"(?:dmesg|journal(?:ctl)?|kern(?:el)?|kmsg|messages|syslog|nvrm)"
ENDING = re.compile(r"log|txt|out|gz|zst|xz|bz2|\d{1,3}", re.ASCII | re.IGNORECASE)
BEFORE = re.compile(rf"{KINDS}[._-]+", re.ASCII | re.IGNORECASE)
BEHIND = re.compile(rf"[._-]{KINDS}$", re.ASCII | re.IGNORECASE)
KIND = re.compile(
    rf"(?:{KINDS}|logs?|files?|parts?|out|output|err)[._-]?\d{{0,12}}",
    re.ASCII | re.IGNORECASE,
)
HOST = re.compile(r"[a-z0-9][a-z0-9.-]{0,252}", re.ASCII | re.IGNORECASE)
DIGITS = re.compile(r"\d+", re.ASCII)


def hosted(*, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings, kernels' logs without a host with that of their file's name.

    A name counts that another line knows, or one that is built like those; where no line knows a
    host, one with a number in it. The only log whose name tells nothing is of the only host that
    the session's launcher names.
    """
    nameless = _nameless(readings)
    if not nameless:
        return list(readings)
    known = frozenset(_known(readings))
    found = {source: _host(source, known) for source in nameless}
    others = {one.origin.source for one in readings if _kinds([one]) == {Stream.KERNEL}}
    launched = frozenset(_launched(readings))
    if len(others) == 1 and len(launched) == 1 and launched == known:
        found = {source: host or next(iter(launched)) for source, host in found.items()}
    return [placed(one, found.get(one.origin.source, "")) for one in readings]


def _nameless(readings: Sequence[Reading]) -> frozenset[str]:
    """Return the sources in which nothing but a kernel speaks, and never says of which host."""
    parts: Mapping[str, list[Reading]] = defaultdict(list)
    for one in readings:
        parts[one.origin.source].append(one)
    return frozenset(
        source
        for source, told in parts.items()
        if _kinds(told) == {Stream.KERNEL} and not any(_names(one) for one in told)
    )


def _kinds(told: Iterable[Reading]) -> set[Stream | None]:
    return {one.origin.stream or extent.stream for one in told for extent in one.extents}


def _names(one: Reading) -> set[str]:
    """Return what a reading or its lines call their hosts."""
    lines = [event.line.host for event in (*one.events, *one.progress)]
    names = (one.origin.host, *(extent.host for extent in one.extents), *lines)
    return {name for name in names if name}


def _spoken(one: Reading) -> set[str]:
    """Return the hosts of a reading and its lines; of an address the first number is no name."""
    short = {name.split(".", 1)[0] for name in _names(one)}
    return {name for name in short if not NOT_HOSTS.fullmatch(name)}


def _launched(readings: Sequence[Reading]) -> set[str]:
    return {host for one in readings for event in one.events if (host := task_host(event))}


def _known(readings: Sequence[Reading]) -> set[str]:
    return _launched(readings).union(*(_spoken(one) for one in readings))


def _host(source: str, known: frozenset[str]) -> str:
    """Return the host that the path of a log names, empty where it names none."""
    path = PurePosixPath(source)
    name = _bare(path.name)
    if name and not KIND.fullmatch(name):
        return name if _is_host(name.split(".", 1)[0], known) else ""
    # Folders are called by runs and cases, too, which have numbers as hosts do.
    folder = path.parent.name
    return folder if known and _is_host(folder.split(".", 1)[0], known) else ""


def _bare(name: str) -> str:
    """Return what is left of a file's name without what says that it is a kernel's log."""
    rest, dot, ending = name.rpartition(".")
    while dot and ENDING.fullmatch(ending):
        name = rest
        rest, dot, ending = name.rpartition(".")
    return BEHIND.sub("", BEFORE.sub("", name, count=1)).rstrip("._-")


def _is_host(name: str, known: frozenset[str]) -> bool:
    if name in known:
        return True
    if not HOST.fullmatch(name) or NOT_HOSTS.fullmatch(name) or not DIGITS.search(name):
        return False
    return not known or _shape(name) in {_shape(one) for one in known}


def _shape(name: str) -> str:
    """Return how a name is built: machines of one kind differ in their numbers."""
    return DIGITS.sub("0", name)
