"""What a failed scrape says of itself is nothing: a timeout is not how long the answer took."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from apps.diagnosis.model import Device, Frame

UP, TOLD = ".up", (".duration", ".samples")


def without_failed(frames: Iterable[Frame]) -> Iterator[Frame]:
    """Yield the frames; of durations and sample counts only those of scrapes that worked.

    They belong together by name: `target.gpu.duration` and `target.gpu.samples` to
    `target.gpu.up`.
    """
    known = list(frames)
    ups = {
        frame.signal.name.removesuffix(UP): frame
        for frame in known
        if frame.signal.name.endswith(UP)
    }
    for frame in known:
        stem, _, _ = frame.signal.name.rpartition(".")
        up = ups.get(stem) if frame.signal.name.endswith(TOLD) else None
        is_same_grid = up is not None and (up.start, up.step, up.values.shape[1]) == (
            frame.start,
            frame.step,
            frame.values.shape[1],
        )
        yield _masked(frame, up) if up is not None and is_same_grid else frame


def _masked(frame: Frame, up: Frame) -> Frame:
    """Return the frame without the samples of scrapes that failed."""
    place = {key: row for row, key in enumerate(_rows(up))}
    values = frame.values.copy()
    for row, key in enumerate(_rows(frame)):
        if key in place:
            values[row, up.values[place[key]] == 0] = np.nan
    return replace(frame, values=values)


def _rows(frame: Frame) -> Iterator[tuple[Device, str]]:
    details = frame.details or ("",) * len(frame.entities)
    return zip(frame.entities, details, strict=True)
