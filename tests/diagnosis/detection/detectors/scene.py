"""Frames for detector tests: 30 s grid from a fixed instant on."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Anomaly, Detector, Device, Frame, PeerGroup, Scene

START = 1_790_000_010.0
STEP = 30.0
HOSTS = tuple(f"gpu{number:03}" for number in range(1, 9))


def gpus(hosts: Sequence[str] = HOSTS, per_host: int = 4) -> tuple[Device, ...]:
    """Return GPUs of some hosts."""
    return tuple(
        Device(kind="gpu", host=host, index=index) for host in hosts for index in range(per_host)
    )


def nodes(hosts: Sequence[str] = HOSTS) -> tuple[Device, ...]:
    """Return hosts as entities."""
    return tuple(Device(kind="node", host=host) for host in hosts)


def frame(
    signal: str,
    values: NDArray[np.float64] | Sequence[Sequence[float]],
    entities: Sequence[Device] | None = None,
    details: tuple[str, ...] = (),
    step: float = STEP,
) -> Frame:
    """Return a frame of a catalog signal; GPUs in order unless told otherwise."""
    matrix = np.asarray(values, dtype=np.float64)
    named = tuple(entities) if entities is not None else gpus()[: len(matrix)]
    return Frame(
        signal=catalog().signals[signal],
        entities=named,
        start=START,
        step=step,
        values=matrix,
        details=details,
    )


def at(column: int, step: float = STEP) -> datetime:
    """Return the instant of a column."""
    return datetime.fromtimestamp(START + column * step, UTC)


def session(hosts: Sequence[str] = HOSTS) -> Scene:
    """Return a scene in which these hosts have long run one session."""
    started = datetime.fromtimestamp(START - 7200, UTC)
    return Scene(groups=(PeerGroup(name="attempt 1", hosts=tuple(hosts), starts_at=started),))


def found(detector: Detector, *frames: Frame, scene: Scene | None = None) -> tuple[Anomaly, ...]:
    """Return what a detector finds."""
    return detector.detect(frames, scene or Scene())
