"""Event counters: any growth is a fact. The first sample is a baseline, a reset starts anew."""

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.model import Anomaly, Detector, Frame, Role, Scene

# Growth that pauses for less than this belongs to the same episode.
EPISODE_GAP_SECONDS = 600.0


def _detect(frames: Sequence[Frame], _scene: Scene) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _episodes(frame))


def _episodes(frame: Frame) -> Iterator[Anomaly]:
    signal, values = frame.signal, stats.without_blanks(frame.values)
    grown = stats.increases(values)
    before = stats.last_known(values)
    bridge = math.ceil(EPISODE_GAP_SECONDS / frame.step)
    with np.errstate(invalid="ignore"):
        growing = grown > 0
    for row, first, end in stats.runs(growing, bridge=bridge):
        total = float(np.nansum(grown[row, first:end]))
        if total < signal.notable:
            continue
        known = np.flatnonzero(~np.isnan(values[row, :first]))
        waited = first - int(known[-1])
        yield Anomaly(
            kind="counter-increase",
            signal=signal.name,
            family=signal.family,
            layer=signal.layer,
            entity=frame.entities[row],
            starts_at=_instant(frame, first),
            ends_at=_instant(frame, end - 1) if end - 1 > first else None,
            score=1.0 if signal.role is Role.INITIATING else min(1.0, total / signal.notable / 10),
            value=total,
            baseline=float(before[row, first - 1]),
            unit=signal.unit,
            role=signal.role,
            causes=signal.causes,
            resolution_seconds=waited * frame.step,
            detail=frame.details[row] if frame.details else "",
        )


def _instant(frame: Frame, column: int) -> datetime:
    return datetime.fromtimestamp(frame.start + column * frame.step, UTC)


INCREASE = Detector(
    name="increase", meaning="an event counter grew, whatever the amount", detect=_detect
)
