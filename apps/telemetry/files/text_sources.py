"""Paths → sources of text (plain, .gz, .zst, tar, directories) in bounded memory, with what the
path says about each.
"""

import os
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from apps.diagnosis.dumps.dump_lines import HEAD_BYTES, as_text, looks_like_dump
from apps.diagnosis.dumps.dump_lines import MOST_BYTES as MOST_DUMP_BYTES
from apps.diagnosis.input_values import instant_of
from apps.diagnosis.model import Origin, Stream
from apps.telemetry.files import tar_members
from apps.telemetry.files.decompression import decompressed, guarded
from apps.telemetry.files.file_magic import is_noise, kind_of
from apps.telemetry.files.file_origins import OVERRIDES, describe, parse_overrides, read_overrides
from apps.telemetry.files.folder_files import files_in, is_inside
from apps.telemetry.files.named_files import (
    inside_of,
    within,
)
from apps.telemetry.files.path_suggestions import path_meant
from apps.telemetry.files.text_pieces import MOST_LINE_BYTES, WholeLines, cut_pieces
from apps.telemetry.files.unusable_input import UnusableInput
from apps.telemetry.files.utf16 import as_utf8

MOST_FILES = 200_000
NO_LOG = "logs are read from files and folders; the address of a server of metrics is for --metrics"
TAR_MAGIC = slice(257, 262)


def _nowhere() -> int:
    return 0


def _no_pieces(_size: int) -> Iterator[WholeLines]:
    raise RuntimeError("only a file that is a source alone is read in parts")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """One source: where it comes from, and its text in pieces of whole lines.

    While pieces are read, `position` is how far in the file on disk; the members of a tar share it.
    """

    origin: Origin
    pieces: Callable[[], Iterator[WholeLines]]
    position: Callable[[], int] = _nowhere
    size: int = 0  # of a file on disk that is this source alone, 0 for any other
    # The pieces of so many bytes at the beginning of such a file.
    pieces_within: Callable[[int], Iterator[WholeLines]] = _no_pieces


def open_paths(
    *,
    paths: Sequence[str],
    stream: Stream | None = None,
    zone: str | None = None,
    now: datetime,
    stdin: IO[bytes] | None = None,
    follows_links: bool = False,
) -> Iterator[SourceText]:
    """Yield every source below the paths in one order; `-` is standard input, received `now`.
    Raises UnusableInput.

    The time of the last change of a file gives its yearless stamps their year.
    """
    files = [Path(path) for path in paths if path != "-" and _is_plain(Path(path))]
    inside = inside_of(paths=files)
    said = next((each for each in files if inside[each] == OVERRIDES and len(files) > 1), None)
    overrides = read_overrides(said) if said else {}
    for path in paths:
        if path == "-":
            if stdin is None:
                raise UnusableInput("-: no standard input here")
            yield _plain(Origin(source="stdin", stream=stream, zone=zone, received_at=now), stdin)
            continue
        one = Path(path)
        if "://" in path and not one.exists():
            raise UnusableInput(NO_LOG)
        if one not in inside:
            yield from _open_path(one, stream, zone, follows_links=follows_links)
        elif one != said:
            origin = describe(inside=inside[one], stream=stream, zone=zone, overrides=overrides)
            if origin is not None:
                yield _file(replace(origin, stream=stream or origin.stream), one)


def _is_plain(path: Path) -> bool:
    return path.exists() and not path.is_dir() and not is_tar(path)


def _open_path(
    path: Path, stream: Stream | None, zone: str | None, *, follows_links: bool
) -> Iterator[SourceText]:
    if not path.exists():
        raise UnusableInput(f"{path}: no such file or directory{path_meant(path=path)}")
    if path.is_dir():
        yield from _folder(path, stream, zone, follows_links=follows_links)
    else:
        yield from _tar(path, stream, zone)


def _folder(
    root: Path, stream: Stream | None, zone: str | None, *, follows_links: bool
) -> Iterator[SourceText]:
    said_at = root / OVERRIDES
    is_read = follows_links or is_inside(path=said_at, root=root)
    overrides = read_overrides(said_at) if is_read else {}
    full, count = Path(os.path.abspath(root)), 0  # noqa: PTH100  keeps links
    said = {within(root=full, inside=Path(each)): told for each, told in overrides.items()}
    for path in files_in(root=root, follows_links=follows_links):
        if path.name == OVERRIDES:
            continue
        count += 1
        if count > MOST_FILES:
            raise UnusableInput(f"{root}: more than {MOST_FILES} files; name a narrower folder")
        inside = within(root=full, inside=path.relative_to(root))
        origin = describe(inside=inside, stream=stream, zone=zone, overrides=said)
        if origin is not None:
            yield _file(origin, path)


def is_tar(path: Path) -> bool:
    with path.open("rb") as raw, decompressed(raw, path.stat().st_size) as plain:
        return plain.read(512)[TAR_MAGIC] == b"ustar"


def _tar(path: Path, stream: Stream | None, zone: str | None) -> Iterator[SourceText]:
    """Yield the members of a tar as it streams: each must be read before the next one."""
    with path.open("rb") as raw, decompressed(raw, path.stat().st_size) as plain:
        overrides: dict[str, Mapping[str, Any]] = {}
        try:
            with tar_members.opened(plain=plain) as archive:
                for member in tar_members.members_of(archive=archive, size=path.stat().st_size):
                    body = archive.extractfile(member) if member.isfile() else None
                    if body is None:
                        continue
                    inside = member.name.removeprefix("./")
                    if PurePosixPath(inside).name == OVERRIDES:
                        said = body.read(MOST_LINE_BYTES)
                        overrides = parse_overrides(raw=said, where=inside)
                        continue
                    origin = describe(inside=inside, stream=stream, zone=zone, overrides=overrides)
                    if origin is not None:
                        changed_at = instant_of(member.mtime)
                        yield _plain(replace(origin, received_at=changed_at), body, raw.tell)
        except tarfile.TarError as error:
            raise UnusableInput(f"{path}: the tar is damaged: {error}") from error


def _file(origin: Origin, path: Path) -> SourceText:
    opened: list[IO[bytes]] = []

    def pieces() -> Iterator[WholeLines]:
        with path.open("rb") as raw, decompressed(raw, path.stat().st_size) as plain:
            opened[:] = [raw]
            yield from _text(plain, origin)

    def pieces_within(size: int) -> Iterator[WholeLines]:
        with path.open("rb") as raw, decompressed(guarded(raw, most=size), size) as plain:
            opened[:] = [raw]
            yield from _text(plain, origin)

    def position() -> int:
        return opened[0].tell() if opened else 0

    facts = path.stat()
    return SourceText(
        origin=replace(origin, received_at=instant_of(facts.st_mtime)),
        pieces=pieces,
        position=position,
        size=facts.st_size,
        pieces_within=pieces_within,
    )


def _plain(origin: Origin, raw: IO[bytes], position: Callable[[], int] = _nowhere) -> SourceText:
    def pieces() -> Iterator[WholeLines]:
        with decompressed(guarded(raw), None) as plain:
            yield from _text(plain, origin)

    return SourceText(origin=origin, pieces=pieces, position=position)


def _text(raw: IO[bytes], origin: Origin) -> Iterator[WholeLines]:
    """Yield the lines of a log, or those that stand for a dump; nothing of what is no text."""
    raw = as_utf8(raw)
    head = raw.read(HEAD_BYTES)
    if kind_of(head=head):
        return
    if looks_like_dump(head=head):
        head += raw.read(MOST_DUMP_BYTES - len(head))
        text = as_text(data=head, name=origin.source, rank=origin.rank)
        if text is not None:
            yield WholeLines(text)
            return
    if not is_noise(head=head):
        yield from cut_pieces(raw, begun=head)
