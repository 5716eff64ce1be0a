"""File systems that fail as those of a cluster do: on loop devices, and served by a program."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event as Pause
from time import monotonic

from tests.live.nodes.cluster import told

SERVER = Path(__file__).parent / "programs" / "file_server.py"
SECONDS = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """A file system on a loop device, whose contents lie in a file."""

    image: Path
    device: str
    at: Path

    def lose_contents(self, *, keep_kib: int) -> None:
        """Cut the file off behind the device, and forget what was read: reads fail from there."""
        told("sync", "-f", str(self.at))
        os.truncate(self.image, keep_kib * 1024)
        Path("/proc/sys/vm/drop_caches").write_text("3", encoding="ascii")

    def freeze(self) -> None:
        """Let every write wait."""
        told("fsfreeze", "--freeze", str(self.at))

    def thaw(self) -> None:
        """Let writes go on."""
        with suppress(subprocess.CalledProcessError):
            told("fsfreeze", "--unfreeze", str(self.at))


@contextmanager
def disk(folder: Path, *, at: Path, mib: int, options: Sequence[str] = ()) -> Iterator[Disk]:
    """Mount a new ext4 of so many MiB until the block ends."""
    image = folder / "disk.img"
    with image.open("wb") as file:
        file.truncate(mib * 1024 * 1024)
    told("mkfs.ext4", "-q", "-m", "0", "-E", "lazy_itable_init=0", str(image))
    device = told("losetup", "--find", "--show", str(image)).strip()
    at.mkdir(parents=True, exist_ok=True)
    mounted = Disk(image=image, device=device, at=at)
    try:
        told("mount", *(f"-o{each}" for each in options), device, str(at))
        yield mounted
    finally:
        mounted.thaw()
        with suppress(subprocess.CalledProcessError):
            told("umount", "--lazy", str(at))
        told("losetup", "--detach", device)


@contextmanager
def served_files(folder: Path, *, at: Path, python: str = sys.executable) -> Iterator[int]:
    """Serve a folder at another place through FUSE; yields the server's process."""
    at.mkdir(parents=True, exist_ok=True)
    server = subprocess.Popen([python, str(SERVER), str(folder), str(at)])  # noqa: S603  our own
    try:
        until = monotonic() + SECONDS
        while not os.path.ismount(at) and monotonic() < until:
            Pause().wait(0.1)
        yield server.pid
    finally:
        with suppress(ProcessLookupError):
            os.kill(server.pid, signal.SIGCONT)
        with suppress(subprocess.CalledProcessError):
            told("umount", "--lazy", str(at))
        server.kill()
        server.wait()
