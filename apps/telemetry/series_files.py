"""A file of series (the answer of a range query) → anomalies, for `diagnose --metrics`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from apps.diagnosis import detectors, registry
from apps.diagnosis.metrics.frames import Grid, Samples, frame_of, grid_between
from apps.diagnosis.metrics.load import catalog
from apps.diagnosis.model import Anomaly, Detector, Frame, Query, Scene
from apps.telemetry.files import UnusableInput
from apps.telemetry.sources.matrix import AnswerUnreadable, QueryRefused, parse

MOST_BYTES = 512 * 1024**2
# Scrapes further apart than this are no series to look for events in.
LEAST_STEP, MOST_STEP = 1.0, 300.0


def read_anomalies(*, paths: Sequence[str]) -> tuple[Anomaly, ...]:
    """Return what the detectors notice in the series of the files. Raises UnusableInput."""
    series = [one for path in paths for one in _series(Path(path))]
    if not series:
        return ()
    frames = list(_frames(series, _grid(series)))
    return tuple(
        anomaly
        for detector in registry.collect(package=detectors, kind=Detector)
        for anomaly in _noticed(detector, frames)
    )


def _noticed(detector: Detector, frames: Sequence[Frame]) -> Iterable[Anomaly]:
    watched = [frame for frame in frames if detector.name in frame.signal.watch]
    return detector.detect(watched, Scene()) if watched else ()


def _series(path: Path) -> list[Samples]:
    if not path.is_file():
        raise UnusableInput(f"{path}: no such file; name the JSON answer of a range query")
    if path.stat().st_size > MOST_BYTES:
        raise UnusableInput(f"{path}: more than 512 MB; ask for a shorter range")
    try:
        return parse(path.read_bytes())
    except (AnswerUnreadable, QueryRefused) as error:
        raise UnusableInput(f"{path}: not the JSON answer of a range query: {error}") from error


def _grid(series: Iterable[Samples]) -> Grid:
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
