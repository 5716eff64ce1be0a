"""A run is put together from whichever sources tell of it, each fact once."""

import random
from typing import Any

from apps.training.in_job.adapters.log_lines import ToldLine, run_of_lines
from apps.training.in_job.events import ReplicaLost, StepCommitted
from apps.training.in_job.job_report import job_report, survived
from apps.training.in_job.job_run import in_job_run
from apps.training.in_job.logged_run import LoggedRun

AT = 1_795_222_800.0


def record(event: str, seconds: float, **said: Any) -> dict[str, Any]:
    """Return a record that was checked."""
    return {"event": event, "at": AT + seconds, **said}


def quorum(number: int, *replicas: str) -> list[dict[str, Any]]:
    """Return a quorum as its members tell it, two ranks each."""
    return [
        record("quorum", number * 10, replica=each, rank=rank, quorum=number, step=number)
        for each in replicas
        for rank in range(2)
    ]


LOST = record("replica_lost", 100, replica="a", gpus=8, step=4)


def test_events_come_before_torchfts_records_and_lines() -> None:
    torchft = [*quorum(1, "x", "y"), *quorum(2, "x")]
    logged = LoggedRun(
        events=(
            ReplicaLost(at_seconds=AT, replica="rank 7", step=None, phase="", gpu_count=1),
            StepCommitted(at_seconds=AT, step=9, microbatches=None, survivors=None, tokens=None),
        )
    )
    all_three = in_job_run([LOST, *torchft], logged)
    assert [each.replica for each in all_three.losses] == ["a"]
    assert [each.step for each in all_three.commits] == [9]
    assert [each.replica for each in in_job_run(torchft, logged).losses] == ["y"]
    assert [each.replica for each in in_job_run([], logged).losses] == ["rank 7"]


def test_who_is_lost_is_lost_once_until_somebody_joins() -> None:
    again = LOST | {"at": AT + 200}
    joined = record("communicator_repaired", 150, epoch=2, members_before=3, members_after=4)
    assert len(in_job_run([LOST, again]).losses) == 1
    assert len(in_job_run([LOST, joined, again]).losses) == 2


def test_the_order_and_doubles_change_nothing() -> None:
    told = [
        *(record("job_began", at, gpus=32, replicas=4) for at in (0, 5)),
        LOST,
        *quorum(1, "x"),
        *(record("step_committed", 100 + step, step=step) for step in range(9)),
        record("workers_restarted", 300, told_by="nvrx", number=1),
    ]
    mixed = [*told, *told]
    random.Random(3).shuffle(mixed)  # noqa: S311  an order, no secret
    assert in_job_run(mixed) == in_job_run(told)


def test_a_loss_is_survived_where_a_step_follows_and_no_restart() -> None:
    step = record("step_committed", 120, step=5)
    restart = record("workers_restarted", 110, told_by="torchelastic", number=1)
    assert survived(in_job_run([LOST])) == ()
    assert len(survived(in_job_run([LOST, step]))) == 1
    assert survived(in_job_run([LOST, step, restart])) == ()


def test_what_is_not_told_is_not_judged() -> None:
    steps = [record("step_committed", step, step=step) for step in (1, 2, 4)]
    report = job_report(
        in_job_run([*steps, LOST]), world_size=None, begins_seconds=None, ends_seconds=AT + 200
    )
    assert report.lane is None
    assert report.lost_gpu_count == 8
    assert report.invariant is None
    assert [each.kind for each in report.violations] == ["skipped"]
    assert (report.efficiency, report.counterfactual, report.flags) == (None, None, ())


def test_lines_tell_losses_quorums_and_restarts_by_their_marks() -> None:
    def line(sign: str, seconds: float, text: str = "", **fields: str) -> ToldLine:
        return ToldLine(sign=sign, at_seconds=AT + seconds, text=text, fields=fields)

    cycle = "- Cycle: 2 Event: {} Node: n1 Rank: 7 Time: 2026-11-21 01:00:{} UTC"
    run = run_of_lines(
        [
            line("nvrx-inprocess-interruption", 1, rank="16", what="HARD_TIMEOUT"),
            line("nvrx-inprocess-interruption", 2, rank="3", what="EXCEPTION"),
            line("torchft-reconfigure", 3, replica="a", rank="0", quorum="7", iteration="12"),
            line("nvrx-launcher-event", 4, cycle.format("failure_detected", "01.5")),
            line("nvrx-launcher-event", 5, cycle.format("worker_start_completed", "04.0")),
            line("nvrx-launcher-event", 6, cycle.format("failure_detected", "99")),
            line(
                "torchrun-restart",
                7,
                "[default] Worker group FAILED. 2/3 attempts left; will restart worker group",
            ),
        ]
    )
    assert [each.replica for each in run.events if isinstance(each, ReplicaLost)] == ["rank 16"]
    assert [each["quorum"] for each in run.records] == [7]
    assert [(each.told_by, each.took_seconds) for each in run.restarts] == [
        ("torchelastic", None),
        ("nvrx", 2.5),
    ]
