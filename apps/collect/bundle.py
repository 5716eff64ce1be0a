"""What was collected → one tar with a manifest, read by `diagnose` as it is."""

import errno
import gzip
import hashlib
import io
import json
import os
import stat
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final

from apps.collect.redact import Hide, Redaction

HEAD_BYTES: Final = 4 * 1024 * 1024
MOST_FILE_BYTES: Final = 256 * 1024 * 1024
MOST_LINE_BYTES: Final = 1024 * 1024
SAMPLE: Final = 8192
CONTROLS: Final = bytes(set(range(32)) - set(b"\a\b\t\n\v\f\r\x1b"))
MOST_CONTROLS: Final = 0.04
# What is for people only; `diagnose` does not read it as a log.
ABOUT: Final = "about"
OVERRIDES, MANIFEST = "faultline.json", f"{ABOUT}/manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleItem:
    """One file for the tar; without a path it could not be had, and `failed` says why."""

    name: str
    asked: str  # the command, or the file it is
    path: Path | None = None
    stream: str = ""
    host: str = ""
    failed: str = ""
    owner: int | None = None  # who else's file it may not be
    is_chosen: bool = False  # by whoever ran the job: not followed elsewhere


def write(
    *,
    into: Path,
    items: Sequence[BundleItem],
    redaction: Redaction,
    about: Mapping[str, Any],
    at: datetime,
) -> list[dict[str, Any]]:
    """Write the tar, readable by its owner alone; return what the manifest says of each item."""
    with (
        _owned(into) as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        _add(archive, OVERRIDES, _json(_overrides(items)), at)
        entries = [_put(archive, item, redaction) for item in items]
        _add(archive, MANIFEST, _json({**about, "items": entries}), at)
    return entries


@contextmanager
def _owned(into: Path) -> Iterator[IO[bytes]]:
    """Open a new file; what was not finished is not left lying about."""
    handle = os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as raw:
            yield raw
    except BaseException:
        into.unlink(missing_ok=True)
        raise


def _overrides(items: Sequence[BundleItem]) -> list[dict[str, str]]:
    """Return what no path tells: streams, and hosts of files that are named otherwise."""
    return [
        {"path": item.name}
        | ({"stream": item.stream} if item.stream else {})
        | ({"host": item.host} if item.host else {})
        for item in items
        if item.path and not item.name.startswith(f"{ABOUT}/")
    ]


def _put(archive: tarfile.TarFile, item: BundleItem, redaction: Redaction) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": item.name, "from": redaction.line(item.asked)}
    if item.path is None:
        return {**entry, "missing": redaction.line(item.failed)}
    try:
        with _opened(item.path, item) as source, TemporaryFile() as hidden:
            left_out = _hidden(source, hidden, redaction)
            changed_at = os.fstat(source.fileno()).st_mtime
            return {**entry, **_added(archive, item.name, hidden, changed_at), **left_out}
    except OSError as error:
        return {**entry, "missing": error.strerror}
    except UnreadableFile as error:
        return {**entry, "missing": str(error)}


class UnreadableFile(ValueError):
    """A file that is not what it should be, or in which names can't be hidden."""


def _opened(path: Path, item: BundleItem) -> IO[bytes]:
    """Open a file. One that a user named is that user's own: nobody packs others' for him."""
    if not item.is_chosen:
        return path.open("rb")
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UnreadableFile("it is a link") from error
        raise
    source = os.fdopen(handle, "rb")
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        source.close()
        raise UnreadableFile("it is no file")
    if os.geteuid() == 0 and found.st_uid != item.owner:
        source.close()
        raise UnreadableFile("it is not of who ran the job; name it with --output if it is wanted")
    return source


def _hidden(source: IO[bytes], into: IO[bytes], redaction: Redaction) -> dict[str, Any]:
    """Copy a file without what is to be hidden; return what was left out besides."""
    size = os.fstat(source.fileno()).st_size
    if _is_binary(source.read(SAMPLE)) and redaction.hides - {Hide.SECRETS}:
        raise UnreadableFile("it is not text: names in it can't be hidden")
    source.seek(0)
    skipped = max(0, size - MOST_FILE_BYTES)
    for line in redaction.lines(_lines(source, skipped)):
        into.write(line.encode("utf-8", "surrogateescape"))
    return {"bytes_left_out": skipped} if skipped else {}


def _is_binary(head: bytes) -> bool:
    """Say whether bytes are no text; the zeros that a crash leaves in a log make it none."""
    written = head.replace(b"\0", b"")
    controls = len(written) - len(written.translate(None, CONTROLS))
    return controls > MOST_CONTROLS * len(head)


def _lines(source: IO[bytes], skipped: int) -> Iterator[str]:
    """Yield lines; of a large file its beginning and its end, with a mark between them."""
    read = 0
    while line := source.readline(MOST_LINE_BYTES):
        yield line.decode("utf-8", "surrogateescape")
        read += len(line)
        if skipped and read >= HEAD_BYTES:
            source.seek(skipped, os.SEEK_CUR)
            left = len(source.readline(MOST_LINE_BYTES))
            yield f"[faultline collect: {skipped + left} bytes left out here]\n"
            skipped = 0


def _added(
    archive: tarfile.TarFile, name: str, body: IO[bytes], changed_at: float
) -> dict[str, Any]:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = body.tell(), int(changed_at), 0o600
    body.seek(0)
    digest = hashlib.sha256()
    while block := body.read(2**20):
        digest.update(block)
    body.seek(0)
    archive.addfile(member, body)
    return {"bytes": member.size, "sha256": digest.hexdigest()}


def _add(archive: tarfile.TarFile, name: str, body: bytes, at: datetime) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = len(body), int(at.timestamp()), 0o600
    archive.addfile(member, io.BytesIO(body))


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"


def keep_names(*, into: Path, names: Mapping[str, str]) -> None:
    """Write which name stands for what, readable by its owner alone."""
    with _owned(into) as raw:
        raw.write(_json(dict(sorted(names.items()))))
