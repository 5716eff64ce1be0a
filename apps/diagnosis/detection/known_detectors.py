"""Which detectors there are, what they tell of, and one look through all of them."""

from collections.abc import Mapping, Sequence
from functools import cache

from apps.diagnosis import registry
from apps.diagnosis.detection import detectors
from apps.diagnosis.model import Anomaly, AnomalyKind, Detector, Frame, Notes, Scene


class AmbiguousKind(ValueError):
    """Say which kind of anomaly two detectors describe differently."""


@cache
def all_detectors() -> tuple[Detector, ...]:
    """Return the detector of each module in the folder."""
    return registry.collect(package=detectors, kind=Detector)


@cache
def anomaly_kinds() -> Mapping[str, AnomalyKind]:
    """Return by name what the detectors tell of."""
    found: dict[str, AnomalyKind] = {}
    for detector in all_detectors():
        for kind in detector.kinds:
            if found.setdefault(kind.name, kind) != kind:
                raise AmbiguousKind(f"{detector.name}: another detector tells of {kind.name}, too")
    return found


def kind_named(name: str) -> AnomalyKind:
    """Return a kind by its name; of one that no detector tells of any more nothing holds."""
    return anomaly_kinds().get(name) or AnomalyKind(name=name, did="", sentence="", weight=0.0)


def noticed(
    *, frames: Sequence[Frame], scene: Scene, notes: Notes | None = None
) -> tuple[Anomaly, ...]:
    """Return what the detectors notice, each in the frames of the signals that name it; without
    notes none has a past."""
    if notes is not None:
        notes.worked["learners"] = frozenset(one.name for one in all_detectors() if one.learns_past)
    return tuple(
        anomaly
        for detector in all_detectors()
        if (watched := [each for each in frames if detector.name in each.signal.watch])
        for anomaly in detector.notice(watched, scene, Notes() if notes is None else notes)
    )
