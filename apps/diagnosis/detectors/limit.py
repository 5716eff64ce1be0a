"""A level that nobody would call well, whatever is usual: held for several samples."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.model import Anomaly, Detector, Device, Frame, Scene

WINDOW, AT_LEAST = 4, 3
EPISODE_GAP_SECONDS = 300.0


def _detect(frames: Sequence[Frame], _scene: Scene) -> tuple[Anomaly, ...]:
    return tuple(anomaly for frame in frames for anomaly in _episodes(frame))


def _episodes(frame: Frame) -> Iterator[Anomaly]:
    """Yield one episode per entity; several rows of one entity are its parts, the worst counts."""
    parts: dict[Device, list[int]] = defaultdict(list)
    for row, entity in enumerate(frame.entities):
        parts[entity].append(row)
    values = stats.without_blanks(frame.values)
    bridge = math.ceil(EPISODE_GAP_SECONDS / frame.step)
    for entity, rows in parts.items():
        worst = np.fmax.reduce(values[rows], axis=0)[None, :]
        with np.errstate(invalid="ignore"):
            above = worst >= frame.signal.notable
        held = stats.held(above, window=WINDOW, at_least=AT_LEAST)
        for _, first, end in stats.runs(held, bridge=bridge):
            begin = max(0, first - WINDOW + 1)
            begin += int(np.argmax(above[0, begin:end]))
            yield _anomaly(frame, entity, worst[0], above[0], slice(begin, end))


def _anomaly(
    frame: Frame, entity: Device, worst: stats.Floats, above: stats.Mask, span: slice
) -> Anomaly:
    signal = frame.signal
    usual = worst[~above & ~np.isnan(worst)]
    value = float(np.median(worst[span][above[span]]))
    return Anomaly(
        kind="saturation",
        signal=signal.name,
        family=signal.family,
        layer=signal.layer,
        entity=entity,
        starts_at=datetime.fromtimestamp(frame.start + span.start * frame.step, UTC),
        ends_at=datetime.fromtimestamp(frame.start + span.stop * frame.step, UTC),
        score=min(1.0, value / signal.notable / 2),
        value=value,
        baseline=float(np.median(usual)) if len(usual) else None,
        unit=signal.unit,
        role=signal.role,
        causes=signal.causes,
        resolution_seconds=frame.step,
    )


LIMIT = Detector(
    name="limit", meaning="a level beyond what any machine should show", detect=_detect
)
