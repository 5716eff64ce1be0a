"""Logs of a host are kept in a folder or a file that is called by the host."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from apps.diagnosis.model import Reading, Stream
from apps.diagnosis.reasoning.scope.paths.placed import NOT_HOSTS, placed

LEAST_FOLDERS = 2
# Folders that hold a file of each.
OF_SPEAKERS = frozenset({"hosts", "nodes", "pods"})
OF_SESSIONS = frozenset({Stream.SESSION, None})


def hosted(*, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings with the hosts that the folders or names of their sources name.

    Folders that stand side by side and hold files of the same names hold the same of each host. A
    file is called by a host where lines, its own or others', print that host, or where its folder
    says that it holds one of each.
    """
    folders, files = _hosts(readings), _hosts_of_files(readings)
    return [
        placed(one, folders.get(_folder(one)) or files.get(one.origin.source, ""))
        for one in readings
    ]


def _hosts_of_files(readings: Sequence[Reading]) -> Mapping[str, str]:
    """Return the host of each file of a session that is called by one."""
    printed: dict[str, set[str]] = defaultdict(set)
    for one in readings:
        lines = (event.line.host for event in (*one.events, *one.progress))
        hosts = [*(each.host for each in one.extents), one.origin.host, *lines]
        printed[one.origin.source] |= {each.split(".", 1)[0] for each in hosts if each}
    # Of an address the first number is no name.
    told = {host for hosts in printed.values() for host in hosts}
    known = {host for host in told if not NOT_HOSTS.fullmatch(host)}
    found = {one.origin.source: _stem(one) for one in readings if one.origin.stream in OF_SESSIONS}
    # Where others speak in it, too, it is the log of more than that host.
    return {
        source: stem
        for source, stem in found.items()
        if (stem in known or _is_of_speaker(source, stem)) and printed[source] <= {stem}
    }


def _is_of_speaker(source: str, stem: str) -> bool:
    is_there = PurePosixPath(source).parent.name in OF_SPEAKERS
    return is_there and NOT_HOSTS.fullmatch(stem) is None


def _hosts(readings: Sequence[Reading]) -> Mapping[str, str]:
    """Return the host of each folder that is called by one."""
    alike: dict[tuple[str, str], set[str]] = defaultdict(set)
    printed: dict[str, set[str]] = defaultdict(set)
    for one in readings:
        folder = _folder(one)
        if folder and one.origin.host is None and not NOT_HOSTS.fullmatch(_name(folder)):
            around, name = PurePosixPath(folder).parent, PurePosixPath(one.origin.source).name
            alike[str(around), name.removesuffix(".gz").removesuffix(".zst")].add(folder)
            printed[folder] |= {e.host.split(".", 1)[0] for e in one.extents if e.host}
    found = {folder for told in alike.values() if len(told) >= LEAST_FOLDERS for folder in told}
    # Where several hosts speak in one folder, it is a folder of another kind.
    return {folder: _name(folder) for folder in found if len(printed[folder]) <= 1}


def _folder(reading: Reading) -> str:
    parent = str(PurePosixPath(reading.origin.source).parent)
    return "" if parent == "." else parent


def _stem(reading: Reading) -> str:
    return PurePosixPath(reading.origin.source).name.split(".", 1)[0]


def _name(folder: str) -> str:
    return PurePosixPath(folder).name
