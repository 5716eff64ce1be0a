"""A span of a source → blocks of frames in order of time: servers are read in chunks."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

import numpy as np

from apps.diagnosis.detection.fusion.phase_bands import READ, WRITTEN
from apps.diagnosis.detection.metrics.describe import described, matches
from apps.diagnosis.detection.metrics.frames import Grid, Samples, frame_of, grid_between
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Frame, Signal
from apps.offline.series.series_tables import read_series
from apps.telemetry.files.path_suggestions import path_meant
from apps.telemetry.files.unusable_input import UnusableInput

BLOCK_SECONDS: Final = 6 * 3600.0
MOST_BYTES: Final = 512 * 1024**2
ENDINGS: Final = frozenset({".csv", ".parquet", ".json"})
LEAST_STEP, MOST_STEP, USUAL_STEP = 1.0, 300.0, 60.0
WANTED: Final = (
    "; name a table of series, a folder of tables, the URL of a server or the id of a source"
)

Heard = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedSpan:
    """What is asked for; a file tells its own where nothing is said."""

    starts_at: datetime | None = None
    ends_at: datetime | None = None
    step: float | None = None


def files_of(path: Path, *, but: Path | None = None) -> list[Path]:
    """Return the tables of a file or folder, but one that is none. Raises UnusableInput."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UnusableInput(f"{path}: no such file or folder{path_meant(path=path) or WANTED}")
    left_out = but.resolve() if but else None
    found = sorted(
        each
        for each in path.rglob("*")
        if each.suffix.lower() in ENDINGS and each.resolve() != left_out
    )
    if not found:
        raise UnusableInput(f"{path}: no table in it (one of {', '.join(sorted(ENDINGS))})")
    return found


def of_files(
    *, paths: Sequence[Path], span: RequestedSpan, zone: str | None
) -> Iterator[list[Frame]]:
    """Yield the frames of tables, a few hours at a time. Raises UnusableInput."""
    series = [one for path in paths for one in _read(path, zone) if len(one.at)]
    if not series:
        raise UnusableInput(f"{paths[0]}: no series in it")
    grid = _grid(series, span)
    frames = list(frames_of(series, grid))
    if not frames:
        raise UnusableInput(
            f"{paths[0]}: no sample lies between {_told(span.starts_at)} and {_told(span.ends_at)}"
        )
    yield from cut(frames)


def cut(frames: Sequence[Frame]) -> Iterator[list[Frame]]:
    """Yield frames of one grid in blocks."""
    count, step = frames[0].values.shape[1], frames[0].step
    width = max(1, int(BLOCK_SECONDS / step))
    for first in range(0, count, width):
        yield [
            replace(
                each,
                start=each.start + first * step,
                values=each.values[:, first : first + width],
            )
            for each in frames
        ]


def grids_of(*, span: RequestedSpan) -> list[Grid]:
    """Return the grids of a span that a server is asked for, one after the other."""
    if span.starts_at is None or span.ends_at is None:
        raise UnusableInput("a server needs --from and --to")
    if span.starts_at >= span.ends_at:
        raise UnusableInput(
            f"the range is empty: --from {_told(span.starts_at)} is not before --to {_told(span.ends_at)}"  # noqa: E501  one sentence
        )
    step = span.step or USUAL_STEP
    whole = grid_between(start=span.starts_at.timestamp(), end=span.ends_at.timestamp(), step=step)
    if not whole.count:
        raise UnusableInput(f"the range is shorter than one step of {step:.0f} s")
    width = max(1, int(BLOCK_SECONDS / step))
    return [
        Grid(start=whole.start + first * step, step=step, count=min(width, whole.count - first))
        for first in range(0, whole.count, width)
    ]


def wanted_signals() -> tuple[Signal, ...]:
    """Return the signals that detectors or bands look at."""
    return tuple(each for each in catalog().signals.values() if _is_wanted(each))


def _is_wanted(signal: Signal) -> bool:
    return bool(signal.watch) or any(query.metric in {*WRITTEN, *READ} for query in signal.queries)


def _read(path: Path, zone: str | None) -> list[Samples]:
    if path.stat().st_size > MOST_BYTES:
        raise UnusableInput(f"{path}: more than 512 MB; cut it into several tables of one folder")
    return read_series(name=str(path), raw=path.read_bytes(), zone=zone)


def _grid(series: Sequence[Samples], span: RequestedSpan) -> Grid:
    steps = [float(np.median(np.diff(one.at))) for one in series if len(one.at) > 1]
    usual = float(np.median(steps)) if steps else USUAL_STEP
    step = span.step or min(max(usual, LEAST_STEP), MOST_STEP)
    start = span.starts_at.timestamp() if span.starts_at else min(one.at[0] for one in series)
    end = span.ends_at.timestamp() if span.ends_at else max(one.at[-1] for one in series) + step
    if start >= end:
        raise UnusableInput(
            f"the range is empty: {_told(span.starts_at)} is not before {_told(span.ends_at)}"
        )
    return grid_between(start=float(start), end=float(end), step=step)


def frames_of(series: Sequence[Samples], grid: Grid) -> Iterator[Frame]:
    known = catalog()
    by_name: dict[str, list[Samples]] = defaultdict(list)
    for one in series:
        by_name[one.labels.get("__name__", "")].append(one)
    told: set[str] = set()
    for signal in wanted_signals():
        query = next((each for each in signal.queries if each.metric in by_name), None)
        if query is None:
            continue
        told.add(query.metric)
        members = [
            one
            for one in by_name[query.metric]
            if all(
                matches(wanted, one.labels.get(label, "")) for label, wanted in query.match.items()
            )
        ]
        frame = frame_of(
            signal=signal,
            scale=query.scale,
            series=members,
            grid=grid,
            spelling=known.labels[signal.exporter],
        )
        yield from _with_samples(frame)
    for name in sorted(by_name.keys() - told - known.metrics.keys()):
        signal = described(name).signal
        if signal.watch:
            spelling = known.labels[signal.exporter]
            frame = frame_of(
                signal=signal, scale=1.0, series=by_name[name], grid=grid, spelling=spelling
            )
            yield from _with_samples(frame)


def _with_samples(frame: Frame) -> Iterator[Frame]:
    if frame.entities and not np.isnan(frame.values).all():
        yield frame


def _told(at: datetime | None) -> str:
    return at.isoformat().replace("+00:00", "Z") if at else "the first sample"
