"""Days of samples for detectors that compare a row with its own past."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Anomaly, Detector, Device, Frame, Notes, PeerGroup, Scene, Signal
from tests.diagnosis.detection.detectors.scene import HOSTS, gpus

MIDNIGHT = 1_789_948_800.0
STEP = 60.0
PER_HOUR = int(3600 / STEP)


def signal(name: str, watch: str, **fields: object) -> Signal:
    """Return a signal of the catalog that one detector looks at."""
    return replace(catalog().signals[name], watch=(watch,), **fields)  # type: ignore[arg-type]  # fields of Signal


def over_days(
    watched: Signal, values: NDArray[np.float64], entities: Sequence[Device] | None = None
) -> Frame:
    """Return samples of a minute from a midnight on."""
    named = tuple(entities) if entities is not None else gpus(per_host=1)[: len(values)]
    return Frame(signal=watched, entities=named, start=MIDNIGHT, step=STEP, values=values)


def at(column: float) -> datetime:
    """Return the instant of a column."""
    return datetime.fromtimestamp(MIDNIGHT + column * STEP, UTC)


def working(hosts: Sequence[str] = HOSTS) -> Scene:
    """Return a scene in which the hosts have worked together all the time."""
    group = PeerGroup(name="attempt 1", hosts=tuple(hosts), starts_at=at(-PER_HOUR))
    return Scene(groups=(group,))


def in_blocks(
    detector: Detector, whole: Frame, scene: Scene, columns: int = 6 * PER_HOUR
) -> list[Anomaly]:
    """Return the last word on each episode when the samples come in blocks."""
    notes, told = Notes(), {}
    for first in range(0, whole.values.shape[1], columns):
        block = replace(
            whole,
            start=MIDNIGHT + first * STEP,
            values=whole.values[:, first : first + columns],
        )
        notes.worked.clear()
        for anomaly in detector.notice([block], scene, notes):
            told[anomaly.entity, anomaly.detail, anomaly.starts_at] = anomaly
    return sorted(
        told.values(), key=lambda each: (each.entity.host or "", each.detail, each.starts_at)
    )
