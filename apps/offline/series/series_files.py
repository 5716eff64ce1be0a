"""Metrics of `manage.py diagnose`: files of series or a Prometheus server → anomalies."""

import tarfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Final

import numpy as np

from apps.diagnosis.detection.known_detectors import noticed
from apps.diagnosis.detection.metrics.frames import Grid, Samples, frame_of, grid_between
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import (
    Anomaly,
    Frame,
    PeerGroup,
    Query,
    Reading,
    Scene,
)
from apps.diagnosis.reasoning.scope.streams import extents_of_session
from apps.offline.series.series_tables import read_series
from apps.telemetry.files import tar_members
from apps.telemetry.files.decompression import decompressed
from apps.telemetry.files.folder_files import files_in
from apps.telemetry.files.path_suggestions import address_meant, path_meant
from apps.telemetry.files.text_sources import is_tar
from apps.telemetry.files.unusable_input import UnusableInput

MOST_BYTES: Final = 512 * 1024**2
# Scrapes further apart than this are no series to look for events in.
LEAST_STEP, MOST_STEP = 1.0, 300.0
FOLDER, ENDINGS = "metrics", frozenset({".csv", ".parquet", ".json"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What the logs tell about the session: where it ran and when it broke."""

    hosts: tuple[str, ...] = ()
    starts_at: datetime | None = None
    ends_at: datetime | None = None

    @property
    def scene(self) -> Scene:
        """Return the hosts as peers of each other, where the logs tell the time."""
        if not self.hosts or self.starts_at is None:
            return Scene()
        group = PeerGroup(
            name="session", hosts=self.hosts, starts_at=self.starts_at, ends_at=self.ends_at
        )
        return Scene(groups=(group,))


def ran_of(*, readings: Sequence[Reading]) -> Ran:
    """Return where and when the session ran, as its own logs tell."""
    told = [
        (extent.host or reading.origin.host, extent)
        for reading, extent in extents_of_session(readings=readings)
    ]
    return Ran(
        hosts=tuple(sorted({host for host, _ in told if host})),
        starts_at=min((one.first_at for _, one in told if one.first_at), default=None),
        ends_at=max((one.last_at for _, one in told if one.last_at), default=None),
    )


def read_anomalies(
    *,
    named: Sequence[str],
    paths: Sequence[str],
    ran: Ran,
    zone: str | None = None,
    follows_links: bool = False,
) -> tuple[Anomaly, ...]:
    """Return what the detectors notice in the named files and servers and in the `metrics/`
    folders of the paths. Raises UnusableInput.
    """
    files = [_checked(one) for one in named if not is_server(named=one)]
    inside = _inside(paths, follows_links=follows_links)
    tables = chain((_file(Path(one)) for one in files), inside)
    series = [each for name, raw in tables for each in read_series(name=name, raw=raw, zone=zone)]
    frames = list(_frames(series, _grid(series))) if series else []
    for one in named:
        if is_server(named=one):
            # Loads what speaks HTTP, which reading files doesn't need.
            from apps.offline.series.series_server import ask  # noqa: PLC0415

            frames += ask(url=one, ended_at=ran.ends_at)
    if not frames:
        return ()
    return noticed(frames=frames, scene=ran.scene)


def is_server(*, named: str) -> bool:
    """Say whether metrics are asked of a server, and not read from a file."""
    return named.startswith(("http://", "https://"))


def _checked(named: str) -> str:
    if words := address_meant(named=named):
        raise UnusableInput(f"--metrics: {words}")
    return named


def _file(path: Path) -> tuple[str, bytes]:
    if not path.is_file():
        hint = path_meant(path=path) or "; name a table of series or the URL of a server"
        raise UnusableInput(f"{path}: no such file{hint}")
    if path.stat().st_size > MOST_BYTES:
        raise UnusableInput(f"{path}: more than 512 MB; ask for a shorter range")
    return str(path), path.read_bytes()


def _inside(paths: Sequence[str], *, follows_links: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the tables that lie in `metrics/` below the paths."""
    for one in paths:
        path = Path(one)
        if path.is_dir():
            inside = sorted(files_in(root=path, follows_links=follows_links))
            yield from (
                _file(each) for each in inside if _is_table(PurePosixPath(each.relative_to(path)))
            )
        elif path.is_file() and _is_table(PurePosixPath(path.absolute())):
            yield _file(path)
        elif path.is_file() and is_tar(path):
            yield from _packed(path)


def _packed(path: Path) -> Iterator[tuple[str, bytes]]:
    with path.open("rb") as raw, decompressed(raw, path.stat().st_size) as plain:
        try:
            with tar_members.opened(plain=plain) as archive:
                for member in tar_members.members_of(archive=archive, size=path.stat().st_size):
                    inside = PurePosixPath(member.name)
                    body = archive.extractfile(member) if _is_table(inside) else None
                    if body is None:
                        continue
                    if member.size > MOST_BYTES:
                        raise UnusableInput(f"{path}: {inside} has more than 512 MB")
                    yield str(inside), body.read()
        except tarfile.TarError as error:
            raise UnusableInput(f"{path}: the tar is damaged: {error}") from error


def _is_table(inside: PurePosixPath) -> bool:
    return FOLDER in inside.parts[:-1] and inside.suffix.lower() in ENDINGS


def _grid(series: Sequence[Samples]) -> Grid:
    """Return the instants of all series, as far apart as most samples are."""
    stamps = [one.at for one in series if len(one.at)]
    steps = [float(np.median(np.diff(at))) for at in stamps if len(at) > 1]
    step = min(max(float(np.median(steps)) if steps else 30.0, LEAST_STEP), MOST_STEP)
    start, end = min(float(at[0]) for at in stamps), max(float(at[-1]) for at in stamps)
    return grid_between(start=start, end=end + step, step=step)


def _frames(series: Sequence[Samples], grid: Grid) -> Iterator[Frame]:
    by_name: dict[str, list[Samples]] = defaultdict(list)
    for one in series:
        by_name[one.labels.get("__name__", "")].append(one)
    known = catalog()
    for signal in known.signals.values():
        query = next((each for each in signal.queries if each.metric in by_name), None)
        if query is not None and signal.watch:
            yield frame_of(
                signal=signal,
                scale=query.scale,
                series=_matching(by_name[query.metric], query),
                grid=grid,
                spelling=known.labels[signal.exporter],
            )


def _matching(series: Sequence[Samples], query: Query) -> list[Samples]:
    return [one for one in series if query.match.items() <= one.labels.items()]
