"""Where the files of a session lie: the documented tree, a manifest, or nothing but content."""

import io
import json
import os
import tarfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from random import Random

from tests.score.sessions.cluster import World
from tests.score.sessions.render.files import LogFile

LAYOUTS = (*("tree",) * 6, *("flat",) * 4, *("content",) * 2, "bundle")
GZIP = b"\x1f\x8b"
IANA = frozenset({"UTC", "Asia/Seoul", "Asia/Kolkata", "America/Phoenix"})


def lay_out(
    *, world: World, files: Sequence[LogFile], folder: Path, layout: str, rng: Random
) -> Path:
    """Write the files below the folder; return the path to diagnose (a tar, sometimes)."""
    named = {
        "tree": _tree,
        "flat": _flat,
        "content": _content,
        "bundle": _bundle,
    }[layout](world, files, rng)
    if layout == "flat":
        named["faultline.json"] = LogFile(stream="", body=_manifest(world, named, rng))
    if rng.random() < 0.15:
        return _packed(named, folder / "logs.tar.gz")
    for name, file in named.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.body)
        if file.changed_at:
            os.utime(path, (file.changed_at, file.changed_at))
    return folder


def _packed(named: dict[str, LogFile], path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    # The manifest speaks of what follows it, and a reader may see a tar only once.
    order = sorted(named, key=lambda name: (name != "faultline.json", name))
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name in order:
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(named[name].body), int(named[name].changed_at)
            archive.addfile(member, io.BytesIO(named[name].body))
    return path


def _unique(found: dict[str, LogFile], name: str, file: LogFile) -> None:
    path, number = PurePosixPath(name), 1
    while name in found:
        number += 1
        name = path.with_name(f"{path.name}.{number}").as_posix()
    found[name] = file


def _tail(file: LogFile) -> str:
    return ".gz" if file.body.startswith(GZIP) else ""


def _tree(world: World, files: Sequence[LogFile], rng: Random) -> dict[str, LogFile]:
    found: dict[str, LogFile] = {}
    shared = rng.choice(("session.log", f"slurm-{world.job}.out", "session/stdout.log"))
    for file in files:
        host = world.hosts[file.place].name if file.place >= 0 else ""
        is_old = ".1" if file.name.endswith(".1.gz") else ""
        if file.stream == "session" and file.rank >= 0:
            name = f"session/{host}/rank{file.rank}.log"
        elif file.stream == "session" and host:
            name = f"session/{host}/agent.log" if file.name == "agent" else f"session/{host}.log"
        elif file.stream == "session":
            name = shared
        elif file.stream in {"kernel", "bmc"}:
            name = f"{file.stream}/{host}.log{is_old}" if host else f"{file.stream}.log"
        else:
            name = f"{file.stream}/{file.name}"
        _unique(found, f"{name}{_tail(file)}", file)
    return found


def _flat(world: World, files: Sequence[LogFile], rng: Random) -> dict[str, LogFile]:
    order = list(files)
    rng.shuffle(order)
    found = {}
    for number, file in enumerate(order):
        found[f"{number:04d}.txt{_tail(file)}"] = file
    return found


def _manifest(world: World, named: dict[str, LogFile], rng: Random) -> bytes:
    says_zone = rng.random() < 0.4
    entries = []
    for name, file in named.items():
        entry: dict[str, str | int] = {"path": name, "stream": file.stream}
        if file.place >= 0:
            entry["host"] = world.hosts[file.place].name
        if file.rank >= 0:
            entry["rank"] = file.rank
        if says_zone and file.zone in IANA:
            entry["tz"] = file.zone
        entries.append(entry)
    return json.dumps(entries, indent=1).encode()


def _content(world: World, files: Sequence[LogFile], rng: Random) -> dict[str, LogFile]:
    found: dict[str, LogFile] = {}
    for file in files:
        name = f"{rng.getrandbits(32):08x}{rng.choice(('.log', '.txt', '.out', ''))}{_tail(file)}"
        _unique(found, name, file)
    return found


def _bundle(world: World, files: Sequence[LogFile], rng: Random) -> dict[str, LogFile]:
    """Lay files out as a support bundle: a folder for each host, named as people do."""
    found: dict[str, LogFile] = {}
    kernel = rng.choice(("dmesg.txt", "kern.log", "journal-kernel.log"))
    for file in files:
        host = world.hosts[file.place].name if file.place >= 0 else ""
        base = {"kernel": kernel, "session": f"{file.name}.log"}.get(file.stream, file.name)
        if file.rank >= 0:
            base = f"train_rank{file.rank}.log"
        if file.name.endswith(".1.gz"):
            base = f"{kernel}.1"
        _unique(found, f"{host}/{base}{_tail(file)}" if host else f"{base}{_tail(file)}", file)
    return found
