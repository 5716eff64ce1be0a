"""Sticky gauges: the last code an exporter saw. Only a change to another code is an event."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.model import Anomaly, BadDirection, Code, Detector, Frame, Role, Scene


def _detect(frames: Sequence[Frame], _scene: Scene) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _edges(frame))


def _edges(frame: Frame) -> Iterator[Anomaly]:
    signal, values = frame.signal, stats.without_blanks(frame.values)
    before = np.full_like(values, np.nan)
    before[:, 1:] = stats.last_known(values)[:, :-1]
    with np.errstate(invalid="ignore"):
        fell_only = signal.bad is not BadDirection.DOWN
        changed = (values != before) & ~np.isnan(values) & ~np.isnan(before)
        changed &= (values != 0) & (fell_only | (values < before))
    for row, column in np.argwhere(changed).tolist():
        value = float(values[row, column])
        code = signal.codes.get(int(value)) or _other(frame)
        if code is None:
            continue
        known = np.flatnonzero(~np.isnan(values[row, :column]))
        yield Anomaly(
            kind="counter-increase",
            signal=signal.name,
            family=signal.family,
            layer=code.layer,
            entity=frame.entities[row],
            starts_at=datetime.fromtimestamp(frame.start + column * frame.step, UTC),
            score=1.0 if code.role is Role.INITIATING else 0.5,
            value=value,
            baseline=float(before[row, column]),
            unit=signal.unit,
            role=code.role,
            causes=code.causes,
            resolution_seconds=(column - int(known[-1])) * frame.step,
            detail=f"{value:.0f}",
        )


def _other(frame: Frame) -> Code | None:
    """Return what a code outside the table means: a fact where every code is trouble."""
    if frame.signal.bad is not BadDirection.UP:
        return None
    return Code(role=Role.CONTEXT, layer=frame.signal.layer)


CODES = Detector(name="codes", meaning="a sticky gauge changed to another code", detect=_detect)
