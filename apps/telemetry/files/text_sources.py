"""Paths → sources of text (plain, .gz, .zst, tar, directories) in bounded memory, with what the
path says about each.
"""

import json
import os
import tarfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any

from apps.diagnosis import zone_names
from apps.diagnosis.dumps.dump_lines import HEAD_BYTES, as_text, looks_like_dump
from apps.diagnosis.dumps.dump_lines import MOST_BYTES as MOST_DUMP_BYTES
from apps.diagnosis.input_values import MOST_RANKS, instant_of
from apps.diagnosis.model import Origin, Stream
from apps.diagnosis.spelling import meant, one_of, shown
from apps.telemetry.files import tar_members
from apps.telemetry.files.decompression import CHUNK_BYTES, decompressed, guarded
from apps.telemetry.files.file_magic import is_noise, kind_of
from apps.telemetry.files.folder_files import files_in, is_inside
from apps.telemetry.files.named_files import (
    NOT_TEXT,
    STREAM_FOLDERS,
    host_of,
    inside_of,
    is_named,
    rank_of,
    within,
)
from apps.telemetry.files.path_suggestions import path_meant

MOST_LINE_BYTES = 1024 * 1024
MOST_FILES = 200_000
NO_LOG = "logs are read from files and folders; the address of a server of metrics is for --metrics"
TAR_MAGIC = slice(257, 262)
OVERRIDES = "faultline.json"
MOST_HOST_LETTERS = 253
OVERRIDE = ("path", "stream", "host", "rank", "tz")


class UnusableInput(ValueError):
    """A path that can't be read, with what to do about it."""


def _nowhere() -> int:
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """One source: where it comes from, and its text in pieces of whole lines.

    While pieces are read, `position` is how far in the file on disk; the members of a tar share it.
    """

    origin: Origin
    pieces: Callable[[], Iterator[str]]
    position: Callable[[], int] = _nowhere


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
    overrides = _overrides(said) if said else {}
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
    overrides = _overrides(said_at) if is_read else {}
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


def describe(
    *,
    inside: str,
    stream: Stream | None,
    zone: str | None,
    overrides: Mapping[str, Mapping[str, Any]],
) -> Origin | None:
    """Return what a path inside a folder or tar says about its file, None for no log text."""
    said = overrides.get(inside, {})
    parts = PurePosixPath(inside).parts
    at = next(
        (i for i, part in enumerate(parts) if is_named(part)),
        None,
    )
    if at is not None and parts[at].split(".")[0] in NOT_TEXT and not said:
        return None
    origin = Origin(source=inside, stream=stream, zone=zone)
    if at is not None:
        origin = _by_convention(
            origin, STREAM_FOLDERS.get(parts[at].split(".")[0]), parts[at + 1 :]
        )
        if parts[at] == "flight-recorder" and len(parts) == at + 3:  # <host>/<dump>
            origin = replace(origin, host=parts[at + 1])
    elif stream is Stream.KERNEL:  # of a session's log, what its lines print decides
        origin = replace(origin, host=host_of(parts[-1]))
    return replace(
        origin,
        stream=Stream(said["stream"]) if said.get("stream") in STREAM_FOLDERS else origin.stream,
        host=said.get("host", origin.host),
        rank=said.get("rank", origin.rank),
        zone=said.get("tz", origin.zone),
    )


def _by_convention(origin: Origin, stream: Stream | None, rest: Sequence[str]) -> Origin:
    """Read `<stream>/<host>.log` and `<stream>/<host>/rank<N>.log`."""
    origin = replace(origin, stream=stream or origin.stream)
    if not rest or stream not in {Stream.SESSION, Stream.KERNEL, Stream.BMC}:
        return origin
    if len(rest) == 1:
        return replace(origin, host=host_of(rest[0]), rank=rank_of(rest[0]))
    return replace(origin, host=rest[0], rank=rank_of(rest[-1]))


def _overrides(path: Path) -> dict[str, Mapping[str, Any]]:
    if not path.is_file():
        return {}
    return parse_overrides(raw=path.read_bytes(), where=str(path))


def parse_overrides(*, raw: bytes, where: str) -> dict[str, Mapping[str, Any]]:
    """Return path → what its owner says of it; raise UnusableInput for what would say nothing."""
    try:
        entries = {entry["path"]: entry for entry in json.loads(raw)}
        for path, entry in entries.items():
            _check_override(entry, f"{where}: {path}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, UnusableInput):
            raise
        raise UnusableInput(f'{where}: must be a list of objects with "path"') from error
    return entries


def _check_override(entry: Mapping[str, Any], where: str) -> None:
    """Refuse what would say nothing: a key, a stream or a zone that is not known."""
    for name in entry:
        if name not in OVERRIDE:
            hint = one_of(known=OVERRIDE) + meant(word=name, known=OVERRIDE)
            raise UnusableInput(f"{where}: there is no key `{shown(word=name)}` here; {hint}")
    host, rank = entry.get("host"), entry.get("rank")
    is_name = isinstance(host, str) and host.isprintable() and len(host) <= MOST_HOST_LETTERS
    if host is not None and not is_name:
        raise UnusableInput(f"{where}: `host` is no name of a host")
    if rank is not None and not (type(rank) is int and 0 <= rank <= MOST_RANKS):
        raise UnusableInput(f"{where}: `rank` must be a whole number from 0 to {MOST_RANKS}")
    stream, zone = str(entry.get("stream") or ""), str(entry.get("tz") or "")
    if stream and stream not in STREAM_FOLDERS:
        hint = one_of(known=STREAM_FOLDERS) + meant(word=stream, known=STREAM_FOLDERS)
        raise UnusableInput(f"{where}: there is no stream `{shown(word=stream)}`; {hint}")
    check_zone(zone=zone, where=f"{where}: tz")


def check_zone(*, zone: str | None, where: str) -> None:
    """Raise UnusableInput for a name that no time zone has."""
    if zone and not zone_names.is_zone(name=zone):
        raise UnusableInput(f"{where}: {zone_names.refusal(name=zone)}")


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

    def pieces() -> Iterator[str]:
        with path.open("rb") as raw, decompressed(raw, path.stat().st_size) as plain:
            opened[:] = [raw]
            yield from _text(plain, origin)

    def position() -> int:
        return opened[0].tell() if opened else 0

    changed_at = instant_of(path.stat().st_mtime)
    return SourceText(
        origin=replace(origin, received_at=changed_at), pieces=pieces, position=position
    )


def _plain(origin: Origin, raw: IO[bytes], position: Callable[[], int] = _nowhere) -> SourceText:
    def pieces() -> Iterator[str]:
        with decompressed(guarded(raw), None) as plain:
            yield from _text(plain, origin)

    return SourceText(origin=origin, pieces=pieces, position=position)


def _text(raw: IO[bytes], origin: Origin) -> Iterator[str]:
    """Yield the lines of a log, or those that stand for a dump; nothing of what is no text."""
    head = raw.read(HEAD_BYTES)
    if kind_of(head=head):
        return
    if looks_like_dump(head=head):
        head += raw.read(MOST_DUMP_BYTES - len(head))
        text = as_text(data=head, name=origin.source, rank=origin.rank)
        if text is not None:
            yield text
            return
    if not is_noise(head=head):
        yield from lines(raw, begun=head)


def lines(raw: IO[bytes], *, begun: bytes = b"") -> Iterator[str]:
    """Yield decoded pieces of whole lines, about CHUNK_BYTES each; a longer line than 1 MiB is cut
    with a mark.
    """
    rest, is_cut = b"", False
    while block := begun or raw.read(CHUNK_BYTES):
        begun = b""
        if is_cut:  # the rest of a line that was given already
            _, _, block = block.partition(b"\n")
            is_cut = not block
        block = rest + block
        end = block.rfind(b"\n") + 1
        if end:
            yield _decode(block[:end])
        rest = block[end:]
        if len(rest) > MOST_LINE_BYTES:
            yield _decode(rest)
            rest, is_cut = b"", True
    if rest:
        yield _decode(rest)


def _decode(block: bytes) -> str:
    if len(block) > MOST_LINE_BYTES and max(map(len, block.split(b"\n"))) > MOST_LINE_BYTES:
        block = b"\n".join(_cut(line) for line in block.split(b"\n"))
    return block.decode("utf-8", errors="replace").removesuffix("\n")


def _cut(line: bytes) -> bytes:
    return line if len(line) <= MOST_LINE_BYTES else line[:MOST_LINE_BYTES] + b" [cut]"
