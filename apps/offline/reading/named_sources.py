"""Paths that a person named → the sources below them, in one order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import IO

from apps.diagnosis.model import Origin, Stream
from apps.telemetry.files.folder_files import files_in
from apps.telemetry.files.text_sources import SourceText, is_tar, open_paths


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPaths:
    """Paths that a person named, and what was said about all of them."""

    paths: tuple[str, ...]
    stream: Stream | None = None
    zone: str | None = None
    follows_links: bool = False  # also those that lead out of a folder


def sources_of(
    named: Sequence[NamedPaths], now: datetime, stdin: IO[bytes] | None = None
) -> Iterator[SourceText]:
    """Yield every source. Raises UnusableInput."""
    return chain.from_iterable(
        open_paths(
            paths=each.paths,
            stream=each.stream,
            zone=each.zone,
            now=now,
            stdin=stdin,
            follows_links=each.follows_links,
        )
        for each in named
    )


def size_of(path: Path, *, follows_links: bool) -> int:
    """Return how many bytes a file has, or all files below a folder."""
    if path.is_dir():
        inside = files_in(root=path, follows_links=follows_links)
        return sum(one.stat().st_size for one in inside)
    return path.stat().st_size if path.exists() else 0


def large_sources(
    *, named: Sequence[NamedPaths], now: datetime, least: int
) -> Mapping[int, tuple[int, Origin]]:
    """Return sources of at least so many bytes by their number: their size and whose they are."""
    paths = [(each, Path(path)) for each in named for path in each.paths]
    if not any(_has_large(path, each, least) for each, path in paths):
        return {}
    return {
        index: (source.size, source.origin)
        for index, source in enumerate(sources_of(named, now))
        if source.size >= least
    }


def _has_large(path: Path, named: NamedPaths, least: int) -> bool:
    if path.is_dir():
        inside = files_in(root=path, follows_links=named.follows_links)
        return any(one.stat().st_size >= least for one in inside)
    return path.exists() and path.stat().st_size >= least and not is_tar(path)
