"""How many families of metrics say the same of a part."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from apps.diagnosis.detection.fusion.sources import Heard, key_of, voices
from apps.diagnosis.model import Anomaly, Device, Layer, Role, Scene, Topology
from apps.diagnosis.reasoning.observations.fold import fold_anomalies

AT = datetime(2026, 3, 10, 2, tzinfo=UTC)
HOSTS = tuple(f"gpu{number:03}" for number in range(1, 9))
CLOCK = Anomaly(
    kind="peer-deviation",
    signal="gpu.clock",
    family="gpu-clock",
    layer=Layer.GPU,
    entity=Device(kind="gpu", host="gpu003", index=3),
    starts_at=AT,
    ends_at=AT + timedelta(minutes=30),
    noticed_at=AT + timedelta(minutes=4),
    score=-11.0,
    role=Role.INITIATING,
    causes=("gpu-throttling",),
)
HEAT = replace(CLOCK, signal="gpu.temperature", family="gpu-temperature", score=12.0)


def heard(*found: Anomaly) -> Mapping[Heard, int]:
    """Return the families beside each finding."""
    return voices(anomalies=found, scene=Scene(), hosts=HOSTS, parts=Topology())


def test_a_finding_of_one_family_stands_alone() -> None:
    assert heard(CLOCK) == {key_of(CLOCK): 1}


def test_findings_of_two_families_on_one_part_speak_together() -> None:
    assert heard(CLOCK, HEAT) == {key_of(CLOCK): 2, key_of(HEAT): 2}


def test_a_finding_on_another_host_is_no_voice_beside() -> None:
    other = replace(HEAT, entity=Device(kind="gpu", host="gpu006", index=1))
    assert set(heard(CLOCK, other).values()) == {1}


def test_an_observation_carries_how_many_families_speak() -> None:
    (one,) = fold_anomalies(anomalies=[CLOCK], voices={key_of(CLOCK): 1})
    (untold,) = fold_anomalies(anomalies=[CLOCK])
    assert one.fields["families"] == "1"
    assert "families" not in untold.fields
