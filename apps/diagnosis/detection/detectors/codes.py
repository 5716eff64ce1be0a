"""Sticky gauges: the last code an exporter saw. Only a change to another code is an event.

A level that stands is history, however long; a series that is born with a code, on a host that
was heard before, has just seen its first.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis.detection.detector_state.levels import with_last_known
from apps.diagnosis.detection.shared_kinds import COUNTER_INCREASE
from apps.diagnosis.model import (
    Anomaly,
    BadDirection,
    Detector,
    Frame,
    Notes,
    Role,
    Scene,
    SignalCode,
)


def _notice(frames: Sequence[Frame], _scene: Scene, notes: Notes) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _edges(frame, notes))


def _edges(frame: Frame, notes: Notes) -> Iterator[Anomaly]:
    signal = frame.signal
    values, before, waited = with_last_known(frame, notes, "codes")
    with np.errstate(invalid="ignore"):
        changed = (values != before) & ~np.isnan(values) & ~np.isnan(before) & (values != 0)
        if signal.bad is BadDirection.DOWN:
            changed &= values < before
    for row, column in np.argwhere(changed).tolist():
        value = float(values[row, column])
        code = signal.codes.get(int(value)) or _other(frame)
        if code is None:
            continue
        at = datetime.fromtimestamp(frame.start + column * frame.step, UTC)
        yield Anomaly(
            kind=COUNTER_INCREASE.name,
            signal=signal.name,
            family=signal.family,
            layer=code.layer,
            entity=frame.entities[row],
            starts_at=at,
            noticed_at=at,
            score=1.0 if code.role is Role.INITIATING else 0.5,
            value=value,
            baseline=float(before[row, column]),
            unit=signal.unit,
            role=code.role,
            causes=code.causes,
            resolution_seconds=float(waited[row, column]),
            detail=f"{value:.0f}",
        )


def _other(frame: Frame) -> SignalCode | None:
    """Return what a code outside the table means: a fact where every code is trouble."""
    if frame.signal.bad is not BadDirection.UP:
        return None
    return SignalCode(role=Role.CONTEXT, layer=frame.signal.layer)


CODES = Detector(
    name="codes",
    meaning="a sticky gauge changed to another code",
    notice=_notice,
    kinds=(COUNTER_INCREASE,),
    order=1,
)
