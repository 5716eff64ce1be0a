"""A backup as one file: a tar of compressed parts, then a manifest with counts and digests, sealed.

Parts are cut so that nothing larger than one is held in memory, whatever a table holds.
"""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Final, Self

import zstandard

SCHEMA: Final = "faultline.backup/2"
UNSEALED: Final = "faultline.backup/1"  # of before: its manifest has no digest of its own
MANIFEST: Final = "manifest.json"
SEAL: Final = "manifest.sha256"
PART_BYTES: Final = 32 * 2**20


class Damaged(Exception):
    """The file is no backup, or not the whole of one, or not what was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveItem:
    """A table or a file in the archive: its parts in order, and what they are together."""

    name: str
    parts: int
    byte_count: int
    sha256: str
    row_count: int | None = None  # of a table
    columns: tuple[str, ...] = ()  # of a table


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a backup holds and where it came from."""

    made_at: str
    server_version: int
    migrations: tuple[tuple[str, str], ...]  # app and name, of the schema it was made from
    tables: tuple[ArchiveItem, ...]
    files: tuple[ArchiveItem, ...]
    sequences: dict[str, int]
    key_mark: str  # tells whether keys are those of the backup, and nothing else of them
    keys: tuple[str, ...] = field(default=(), repr=False)
    schema: str = SCHEMA


class Writer:
    """Writes an archive beside its place; it gets there whole, or not at all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # Everybody's data is in it, and with keys more than that: a file of ours alone, never one
        # that somebody put there before.
        descriptor, half = mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        self._half = Path(half)
        self._file = os.fdopen(descriptor, "wb")
        self._tar = tarfile.open(fileobj=self._file, mode="w|")  # noqa: SIM115  closed in finish

    def add(
        self,
        *,
        kind: str,
        name: str,
        chunks: Iterable[bytes],
        columns: tuple[str, ...] = (),
    ) -> ArchiveItem:
        """Add bytes under a name, compressed part by part."""
        digest, size, parts = hashlib.sha256(), 0, 0
        for part in _in_parts(chunks):
            digest.update(part)
            size += len(part)
            self._put(_part_name(kind, name, parts), zstandard.compress(part, 3))
            parts += 1
        return ArchiveItem(
            name=name, parts=parts, byte_count=size, sha256=digest.hexdigest(), columns=columns
        )

    def finish(self, manifest: Manifest) -> None:
        """Add the manifest and its seal, and put the archive in its place, there for good."""
        said = json.dumps(asdict(manifest), indent=1).encode()
        self._put(MANIFEST, said)
        self._put(SEAL, hashlib.sha256(said).hexdigest().encode())
        self._tar.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._half.replace(self._path)
        sync_folder(self._path.parent)

    def give_up(self) -> None:
        """Leave nothing behind, also where what is left in memory finds no room."""
        self._half.unlink(missing_ok=True)
        with suppress(OSError):
            self._tar.close()
        with suppress(OSError):
            self._file.close()

    def _put(self, name: str, body: bytes) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(body), 0o600
        self._tar.addfile(entry, io.BytesIO(body))


class ArchiveReader:
    """Reads an archive that was written whole."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        try:
            self._tar = tarfile.open(fileobj=self._file, mode="r:")  # noqa: SIM115  as long as this
            self._members = {entry.name: entry for entry in self._tar.getmembers()}
            said = self._bytes(MANIFEST)
            self.manifest = _manifest(said)
            self._require_seal(said)
        except (tarfile.TarError, EOFError) as error:
            self._file.close()
            raise Damaged(f"{path} is no backup, or only the first part of one: {error}") from error
        except Damaged:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def chunks(self, *, kind: str, item: ArchiveItem) -> Iterator[bytes]:
        """Yield the bytes of an item; raise Damaged at its end if they are not what was written."""
        digest = hashlib.sha256()
        for number in range(item.parts):
            name = _part_name(kind, item.name, number)
            part = _unpacked(name, self._bytes(name))
            digest.update(part)
            yield part
        if digest.hexdigest() != item.sha256:
            raise Damaged(f"{item.name} is not what was written: its digest differs")

    def verify(self) -> None:
        """Raise Damaged unless every part is what was written."""
        for kind, items in (("table", self.manifest.tables), ("file", self.manifest.files)):
            for item in items:
                for _ in self.chunks(kind=kind, item=item):
                    pass

    def _require_seal(self, said: bytes) -> None:
        if self.manifest.schema == UNSEALED and SEAL not in self._members:
            return
        if self._bytes(SEAL) != hashlib.sha256(said).hexdigest().encode():
            raise Damaged("the manifest is not what was written: its digest differs")

    def _bytes(self, name: str) -> bytes:
        entry = self._members.get(name)
        file = self._tar.extractfile(entry) if entry else None
        if entry is None or file is None:
            raise Damaged(f"the archive has no {name}: it is no backup, or not the whole of one")
        body = file.read()
        if len(body) != entry.size:
            raise Damaged(f"the archive ends in the middle of {name}")
        return body


def sync_folder(folder: Path) -> None:
    """Let the names in a folder outlive a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unpacked(name: str, body: bytes) -> bytes:
    try:
        # A size that a changed header claims is not believed: room is made for it at once.
        size = zstandard.get_frame_parameters(body).content_size
        if 0 <= size <= PART_BYTES:
            return zstandard.decompress(body, max_output_size=PART_BYTES)
    except (zstandard.ZstdError, MemoryError) as error:
        raise Damaged(f"{name} can't be unpacked: {error}") from error
    raise Damaged(f"{name} can't be unpacked: it claims {size} bytes")


def _manifest(body: bytes) -> Manifest:
    try:
        said: dict[str, Any] = json.loads(body)
        if said["schema"] not in {SCHEMA, UNSEALED}:
            raise Damaged(f"this is a {said['schema']}; this portal reads {SCHEMA}")
        items = {
            kind: tuple(
                ArchiveItem(**(each | {"columns": tuple(each["columns"])})) for each in said[kind]
            )
            for kind in ("tables", "files")
        }
        migrations = tuple((app, name) for app, name in said["migrations"])
        return Manifest(**(said | items | {"migrations": migrations, "keys": tuple(said["keys"])}))
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"the manifest can't be read: {error!r}") from error


def _in_parts(chunks: Iterable[bytes]) -> Iterator[bytes]:
    held: list[bytes] = []
    size = 0
    for chunk in chunks:
        view = memoryview(chunk)
        while size + len(view) > PART_BYTES:
            room = PART_BYTES - size
            yield b"".join([*held, view[:room]])
            held, size, view = [], 0, view[room:]
        held.append(bytes(view))
        size += len(view)
    if size:
        yield b"".join(held)


def _part_name(kind: str, name: str, number: int) -> str:
    return f"{kind}/{name}/{number:06}.zst"
