"""What several detectors tell of, each from another kind of metric."""

from apps.diagnosis.model import AnomalyKind

COUNTER_INCREASE = AnomalyKind(
    name="counter-increase",
    did="rose",
    sentence="A counter of errors rose",
    weight=5.4,
    is_fact=True,
    is_counted=True,
)
SATURATED = AnomalyKind(
    name="saturation",
    did="was saturated",
    sentence="A resource was saturated",
    weight=6.0,
    is_lasting=True,
)
