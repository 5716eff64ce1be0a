"""Clocks held down by heat or power, on this part more than on the others."""

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.model import Anomaly, Detector, Frame, Scene, Semantics

# Two of three samples in a row: one reading is a spike.
WINDOW, AT_LEAST = 3, 2
EPISODE_GAP_SECONDS = 300.0


def _detect(frames: Sequence[Frame], _scene: Scene) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _episodes(frame))


def _episodes(frame: Frame) -> Iterator[Anomaly]:
    signal = frame.signal
    share, excess, limit = _shares(frame)
    with np.errstate(invalid="ignore"):
        throttled = excess > limit
    held = stats.held(throttled, window=WINDOW, at_least=AT_LEAST)
    bridge = math.ceil(EPISODE_GAP_SECONDS / frame.step)
    for row, first, end in stats.runs(held, bridge=bridge):
        begin = max(0, first - WINDOW + 1)
        begin += int(np.argmax(throttled[row, begin:end]))
        inside = np.where(throttled[row, begin:end], share[row, begin:end], np.nan)
        value = float(np.nanmean(inside))
        yield Anomaly(
            kind="throttling",
            signal=signal.name,
            family=signal.family,
            layer=signal.layer,
            entity=frame.entities[row],
            starts_at=datetime.fromtimestamp(frame.start + begin * frame.step, UTC),
            ends_at=datetime.fromtimestamp(frame.start + end * frame.step, UTC),
            score=min(1.0, value),
            value=value,
            baseline=float(np.nanmean(share[row, begin:end] - excess[row, begin:end])),
            unit="ratio",
            role=signal.role,
            causes=signal.causes,
            resolution_seconds=frame.step,
        )


def _shares(frame: Frame) -> tuple[stats.Floats, stats.Floats, float]:
    """Return the share of time held down, how far it lies over the median part's, the limit.

    For a bit mask the share is 1 while one of the telling bits is set.
    """
    values = stats.without_blanks(frame.values)
    if frame.signal.semantics is Semantics.MASK:
        bits = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0).clip(0, 2**53)
        telling = (bits.astype(np.int64) & int(frame.signal.notable)) != 0
        share = np.where(np.isnan(values), np.nan, telling.astype(np.float64))
        limit = 0.5
    else:
        share = stats.rates(values, frame.step).clip(0.0, 1.0)
        limit = frame.signal.notable
    return share, share - np.nan_to_num(stats.median(share)), limit


THROTTLING = Detector(
    name="throttling", meaning="clocks are held down on one part and not on most", detect=_detect
)
