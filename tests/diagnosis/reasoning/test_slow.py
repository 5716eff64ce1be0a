"""What slows a session without ending it is told beside the verdict on its end."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    Anomaly,
    Device,
    EndState,
    Layer,
    Role,
    SessionFacts,
    Topology,
    VerdictStatus,
)
from apps.wording.published import to_json

START = datetime(2026, 3, 5, 8, 0, tzinfo=UTC)
HOT = Device(kind="gpu", host="n07", index=5)
RUNNING = SessionFacts(state=EndState.RUNNING, started_at=START)
FINISHED = SessionFacts(
    state=EndState.FINISHED, started_at=START, ended_at=START + timedelta(hours=2)
)


def _anomaly(
    kind: str, signal: str, *, begin: float = 30.0, end: float = 60.0, role: Role = Role.INITIATING
) -> Anomaly:
    return Anomaly(
        kind=kind,
        signal=signal,
        family=signal,
        layer=Layer.GPU,
        entity=HOT,
        starts_at=START + timedelta(minutes=begin),
        ends_at=START + timedelta(minutes=end),
        score=1.0,
        role=role,
        causes=("gpu-throttling",),
        resolution_seconds=30,
    )


def _hot(begin: float = 30.0, end: float = 60.0) -> list[Anomaly]:
    return [
        _anomaly("throttling", "throttled", begin=begin, end=end),
        _anomaly("peer-deviation", "clock", begin=begin, end=end, role=Role.CONFIRMATION),
    ]


def _found(anomalies: list[Anomaly], facts: SessionFacts) -> list[tuple[str, str | None]]:
    said = diagnose(
        readings=(), anomalies=anomalies, facts=facts, topology=Topology(hosts=("n07", "n08"))
    )
    assert said.verdict.status is VerdictStatus.NO_FAILURE
    return [(one.verdict.cause, one.entity.host) for one in said.disturbances]


@pytest.mark.parametrize("facts", [RUNNING, FINISHED])
def test_a_gpu_that_throttled_for_half_an_hour_slowed_the_session(facts: SessionFacts) -> None:
    assert _found(_hot(), facts) == [("gpu-throttling", "n07")]


def test_the_order_and_doubles_of_anomalies_do_not_matter() -> None:
    once = diagnose(readings=(), anomalies=_hot(), facts=RUNNING)
    again = diagnose(readings=(), anomalies=[*reversed(_hot()), *_hot()], facts=RUNNING)
    assert once.disturbances == again.disturbances


def test_a_pause_makes_two_episodes() -> None:
    assert len(_found([*_hot(), *_hot(90, 110)], FINISHED)) == 2


@pytest.mark.parametrize(
    "anomalies",
    [_hot(30, 33), _hot(-60, -20), _hot(119, 150), _hot()[:1], _hot()[1:]],
    ids=["a blip", "before the session", "after it", "one family alone", "nothing initiating"],
)
def test_what_is_no_disturbance_of_the_session_is_left_out(anomalies: list[Anomaly]) -> None:
    assert _found(anomalies, FINISHED) == []


def test_a_busy_file_server_during_a_save_is_no_disturbance() -> None:
    server = Device(kind="server", name="nas1")
    busy = [replace(one, entity=server, kind="saturation") for one in _hot(30, 42)]
    assert _found(busy, FINISHED) == []


def test_heat_that_was_over_long_before_the_stop_is_not_its_cause() -> None:
    stopped = SessionFacts(
        state=EndState.FAILED, started_at=START, ended_at=START + timedelta(minutes=66)
    )
    said = diagnose(
        readings=(), anomalies=_hot(), facts=stopped, topology=Topology(hosts=("n07", "n08"))
    )
    assert said.verdict.status is VerdictStatus.UNKNOWN
    assert [one.verdict.cause for one in said.disturbances] == ["gpu-throttling"]


def test_the_published_form_tells_disturbances() -> None:
    (said,) = to_json(diagnosis=diagnose(readings=(), anomalies=_hot(), facts=RUNNING))[
        "disturbances"
    ]
    assert said["verdict"]["cause"] == "gpu-throttling"
    assert (said["starts_at"], said["ends_at"]) == ("2026-03-05T08:30:00Z", "2026-03-05T09:00:00Z")


def test_each_gpu_of_a_host_is_a_part_of_its_own() -> None:
    other = [replace(one, entity=replace(HOT, index=6)) for one in _hot()]
    assert len(_found([*_hot(), *other], RUNNING)) == 2
    assert len(_found([*_hot(), *_hot(end=61.0)], RUNNING)) == 1
