"""Logs of a host are kept in a folder or a file that is called by the host."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from apps.diagnosis.input_values import is_whole_number
from apps.diagnosis.model import Reading, Stream
from apps.diagnosis.reasoning.scope.paths.placed import NOT_HOSTS, placed

LEAST_FOLDERS = 2
# Folders that hold a file of each.
OF_SPEAKERS = frozenset({"hosts", "nodes", "pods"})
OF_SESSIONS = frozenset({Stream.SESSION, None})
# Launchers keep what each rank printed in each attempt in folders below the host's.
INNER = re.compile(
    r"(?:(?:local_?)?rank|attempt|restart|try|task|proc)?[_-]?\d{1,12}", re.ASCII | re.IGNORECASE
)
BEFORE_HOST = "-_."


def hosted(*, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings with the hosts that the folders or names of their sources name.

    Folders that stand side by side and hold files of the same names hold the same of each host. A
    file is called by a host where lines, its own or others', print that host, or where its folder
    says that it holds one of each.
    """
    known = _known(readings)
    folders, files = _hosts(readings, known), _hosts_of_files(readings, known)
    return [
        placed(one, folders.get(_folder(one, known)) or files.get(one.origin.source, ""))
        for one in readings
    ]


def _known(readings: Sequence[Reading]) -> frozenset[str]:
    """Return the hosts that readings and their lines name."""
    return frozenset().union(*(_printed(one) for one in readings))


def _printed(one: Reading) -> set[str]:
    lines = (event.line.host for event in (*one.events, *one.progress))
    hosts = [*(each.host for each in one.extents), one.origin.host, *lines]
    # Of an address the first number is no name.
    names = {each.split(".", 1)[0] for each in hosts if each}
    return {name for name in names if not is_whole_number(name)}


def _hosts_of_files(readings: Sequence[Reading], known: frozenset[str]) -> Mapping[str, str]:
    """Return the host of each file of a session that is called by one."""
    printed: dict[str, set[str]] = defaultdict(set)
    for one in readings:
        printed[one.origin.source] |= _printed(one)
    found = {
        one.origin.source: _host_of_name(one, known)
        for one in readings
        if one.origin.stream in OF_SESSIONS
    }
    # Where others speak in it, too, it is the log of more than that host.
    return {source: host for source, host in found.items() if host and printed[source] <= {host}}


def _host_of_name(reading: Reading, known: frozenset[str]) -> str:
    """Return the host that a file is called by: alone, or behind the name of a run."""
    source = reading.origin.source
    stem = PurePosixPath(source).name.split(".", 1)[0]
    is_of_speaker = PurePosixPath(source).parent.name in OF_SPEAKERS
    if NOT_HOSTS.fullmatch(stem):
        return ""
    if stem in known or is_of_speaker:
        return stem
    behind = [host for host in known if _is_behind(stem, host)]
    return max(behind, key=len, default="")


def _is_behind(stem: str, host: str) -> bool:
    rest = stem.removesuffix(host)
    return rest != stem and rest[-1:] in BEFORE_HOST and not NOT_HOSTS.fullmatch(host)


def _hosts(readings: Sequence[Reading], known: frozenset[str]) -> Mapping[str, str]:
    """Return the host of each folder that is called by one."""
    alike: dict[tuple[str, str], set[str]] = defaultdict(set)
    printed: dict[str, set[str]] = defaultdict(set)
    for one in readings:
        folder = _folder(one, known)
        if folder and one.origin.host is None and _may_be_host(_name(folder), known):
            around = PurePosixPath(folder).parent
            name = str(PurePosixPath(one.origin.source).relative_to(folder))
            alike[str(around), name.removesuffix(".gz").removesuffix(".zst")].add(folder)
            printed[folder] |= {e.host.split(".", 1)[0] for e in one.extents if e.host}
    found = {folder for told in alike.values() if len(told) >= LEAST_FOLDERS for folder in told}
    # Where several hosts speak in one folder, it is a folder of another kind.
    return {folder: _name(folder) for folder in found if len(printed[folder]) <= 1}


def _may_be_host(name: str, known: frozenset[str]) -> bool:
    return name in known or not NOT_HOSTS.fullmatch(name)


def _folder(reading: Reading, known: frozenset[str]) -> str:
    """Return the folder that may be called by the host."""
    folder = PurePosixPath(reading.origin.source).parent
    while INNER.fullmatch(folder.name) and folder.name not in known:
        folder = folder.parent
    return "" if str(folder) == "." else str(folder)


def _name(folder: str) -> str:
    return PurePosixPath(folder).name
