"""The files of the storage, out of it and back: each whole in its place, or not there."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from apps.operations.backup.archive import ArchiveItem, ArchiveReader, Damaged, sync_folder

ASIDE: Final = ".restoring"  # in the storage, so that a file is moved within one file system
READ_BYTES: Final = 2**20


def kept(storage: Path) -> Iterator[tuple[str, Path]]:
    """Yield the name and the path of each file of the storage, in order."""
    for path in sorted(storage.rglob("*")) if storage.is_dir() else []:
        name = path.relative_to(storage)
        if path.is_file() and name.parts[0] != ASIDE:
            yield name.as_posix(), path


def read(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file."""
    with path.open("rb") as file:
        while block := file.read(READ_BYTES):
            yield block


def strangers(*, storage: Path, items: Iterable[ArchiveItem]) -> list[str]:
    """Return the files in the storage that are not of this backup, byte by byte.

    Those that are were put there by a restore that did not come to its end.
    """
    known = {item.name: item.sha256 for item in items}
    return [name for name, path in kept(storage) if known.get(name) != _digest(path)]


@contextmanager
def put_back(*, reader: ArchiveReader, storage: Path) -> Iterator[None]:
    """Have the files of a backup in their places for the block; take them out if it fails.

    Raises Damaged, OSError. After a crash some may be there: each whole, and known by its digest.
    """
    aside, placed = storage / ASIDE, list[Path]()
    shutil.rmtree(aside, ignore_errors=True)
    try:
        for item in reader.manifest.files:
            _write(reader, item, aside)
        for item in reader.manifest.files:
            placed.append(storage / item.name)
            _move(aside / item.name, storage / item.name)
        yield
    except BaseException:
        for path in placed:
            path.unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _write(reader: ArchiveReader, item: ArchiveItem, aside: Path) -> None:
    path = (aside / item.name).resolve()
    if not path.is_relative_to(aside.resolve()):
        raise Damaged(f"{item.name!r} would lie outside the storage")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("wb") as file:
        for chunk in reader.chunks(kind="file", item=item):
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    path.chmod(0o600)


def _move(path: Path, place: Path) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.replace(place)
    sync_folder(place.parent)


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    for block in read(path):
        digest.update(block)
    return digest.hexdigest()
