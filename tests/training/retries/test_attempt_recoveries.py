"""From the stop of one attempt to the first step of the next: each part by what is known."""

import random
from datetime import UTC, datetime, timedelta

from apps.training.retries.attempt_recoveries import AttemptTrace, attempt_recoveries
from apps.training.retries.recovery_marks import MarkKind, RecoveryMark, Stage, nvrx_marks

START = datetime(2026, 11, 22, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    """Return an instant of the story."""
    return START + timedelta(seconds=seconds)


def nvrx(event: str, seconds: float, cycle: int = 1) -> RecoveryMark:
    """Return a mark as NVRx prints it."""
    printed = at(seconds).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    line = f"- Cycle: {cycle} Event: {event} Node: n1 Rank: 0 Time: {printed} UTC"
    (mark,) = nvrx_marks([line])
    return mark


STOPPED = AttemptTrace(
    number=1, starts_at=at(-3600), ends_at=at(90), failed_at=at(0), first_steps=(at(-3000),)
)
FOLLOWING = AttemptTrace(
    number=2,
    starts_at=at(150),
    first_steps=(at(400),),
    loads=((at(200), at(380)), (at(9000), at(9100))),
)


def test_states_loads_and_steps_divide_the_time_to_the_millisecond() -> None:
    (found,) = attempt_recoveries([FOLLOWING, STOPPED])
    assert (found.stopped, found.following, found.is_in_place) == (1, 2, False)
    stages = {stage: ms for stage, ms in found.recovery.by_stage.items() if ms}
    assert stages == {
        Stage.TERMINATE: 90_000,
        Stage.REQUEUE: 60_000,
        Stage.START: 50_000,
        Stage.LOAD: 180_000,
        Stage.FIRST_STEP: 20_000,
    }
    assert found.recovery.total_ms == 400_000
    assert MarkKind.FAILURE_DETECTED in found.recovery.missing
    assert MarkKind.FAILED not in found.recovery.missing


def test_lines_of_the_launcher_fill_in_the_parts_between() -> None:
    marks = [
        nvrx("failure_detected", 30),
        nvrx("rendezvous_started", 151, cycle=0),
        nvrx("health_check_completed", 153.25, cycle=0),
        nvrx("rendezvous_completed", 154, cycle=0),
        nvrx("worker_start_started", 155, cycle=0),
        nvrx("worker_start_completed", 160, cycle=0),
    ]
    stopped = AttemptTrace(
        number=1, starts_at=at(-3600), ends_at=at(90), failed_at=at(0), marks=(marks[0],)
    )
    following = AttemptTrace(
        number=2,
        starts_at=at(150),
        first_steps=(at(400),),
        loads=((at(200), at(380)),),
        marks=tuple(marks[1:]),
    )
    (found,) = attempt_recoveries([stopped, following])
    assert found.recovery.missing == ()
    assert list(found.recovery.by_stage.values()) == [
        *(30_000, 60_000, 60_000, 1_750, 2_250, 46_000, 180_000, 20_000)
    ]


def test_an_early_failure_that_was_survived_is_not_of_this_stop() -> None:
    early = nvrx("failure_detected", -3590)
    stopped = AttemptTrace(
        number=1, starts_at=at(-3600), ends_at=at(90), first_steps=(at(-3000),), marks=(early,)
    )
    (found,) = attempt_recoveries([stopped, FOLLOWING])
    assert found.recovery.starts_at == at(90)


def test_what_ended_as_it_should_is_followed_by_no_recovery() -> None:
    meant = AttemptTrace(number=1, starts_at=at(-9), ends_at=at(0), is_meant=True)
    assert attempt_recoveries([meant, FOLLOWING]) == []
    endless = AttemptTrace(number=1, starts_at=at(-9))
    assert attempt_recoveries([endless, FOLLOWING]) == []


def test_a_job_that_restarts_its_workers_recovers_in_place_in_milliseconds() -> None:
    trace = AttemptTrace(
        number=3,
        starts_at=at(0),
        first_steps=(at(10), at(102.875), at(500)),
        marks=(
            nvrx("failure_detected", 100),
            nvrx("worker_terminated", 100.5),
            nvrx("rendezvous_started", 100.75),
            nvrx("rendezvous_completed", 101.5),
        ),
    )
    (found,) = attempt_recoveries([trace])
    assert found.is_in_place
    assert found.recovery.total_ms == 2_875
    assert found.recovery.is_complete


def test_the_order_of_traces_and_doubled_marks_change_nothing() -> None:
    traces = [STOPPED, FOLLOWING, AttemptTrace(number=3, starts_at=at(90_000))]
    expected = attempt_recoveries(traces)
    random.Random(7).shuffle(traces)  # noqa: S311  no secret
    assert attempt_recoveries(traces) == expected
