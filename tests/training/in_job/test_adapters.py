"""torchft, NVRx and TorchElastic as they tell it."""

from typing import Any

import pytest

from apps.training.in_job.adapters.nvrx import (
    inprocess_event,
    inprocess_losses,
    launcher_restarts,
)
from apps.training.in_job.adapters.torchelastic import elastic_line, elastic_restarts
from apps.training.in_job.adapters.torchft import HeartbeatAge, stale_heartbeats, torchft_run
from apps.training.in_job.events import BadEvent, CommunicatorRepaired, ReplicaLost, StepCommitted
from apps.training.in_job.restarts import not_survived


def quorum(number: int, step: int, replicas: str, at: float) -> list[dict[str, Any]]:
    return [
        {"logger": "torchft_quorums", "at": at, "job_id": "j", "replica_id": each, "rank": rank,
         "quorum_id": number, "step": step}
        for each in replicas
        for rank in range(2)
    ]  # fmt: skip


def commit(
    number: int, step: int, replicas: str, at: float, *, is_taken: bool = True
) -> list[dict[str, Any]]:
    return [
        {**each, "logger": "torchft_commits", "commit_result": is_taken}
        for each in quorum(number, step, replicas, at)
    ]


RECORDS = [
    *quorum(1, 1, "abc", 10),
    *commit(1, 1, "abc", 11),
    *commit(1, 2, "abc", 12, is_taken=False),
    *quorum(2, 2, "ab", 14),
    *commit(2, 2, "ab", 15),
    *quorum(3, 3, "abc", 20),
    *commit(3, 3, "ab", 21),
    *commit(3, 4, "abc", 24),
    {**quorum(1, 2, "c", 12)[0], "logger": "torchft_errors"},
]


def test_failed_commits_are_lost_steps_exactly() -> None:
    found = torchft_run(RECORDS)
    assert [(each.replica, each.step) for each in found.failed] == [("a", 2), ("b", 2), ("c", 2)]
    assert found.lost_step_count == 3
    assert found.error_count == 1


def test_quorums_tell_who_was_lost_and_who_joined() -> None:
    events = torchft_run(RECORDS).events
    (lost,) = [each for each in events if isinstance(each, ReplicaLost)]
    assert (lost.replica, lost.gpu_count, lost.at_seconds) == ("c", 2, 14)
    changes = [each for each in events if isinstance(each, CommunicatorRepaired)]
    assert [(each.members_before, each.members_after) for each in changes] == [(3, 2), (2, 3)]
    steps = [(each.step, each.survivors) for each in events if isinstance(each, StepCommitted)]
    assert steps == [(1, 3), (2, 2), (3, 3), (4, 3)]


def test_who_joined_is_healed_with_its_first_commit() -> None:
    (healed,) = torchft_run(RECORDS).healed
    assert (healed.replica, healed.took_seconds) == ("c", 4)
    assert torchft_run(RECORDS[:-7]).healed[0].took_seconds is None


def test_records_in_any_order_and_twice_are_the_same() -> None:
    assert torchft_run([*reversed(RECORDS), *RECORDS]) == torchft_run(RECORDS)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (5, "a record is a JSON object"),
        ({"logger": "other"}, "logger: one of torchft_quorums"),
        ({**RECORDS[6], "commit_result": "yes"}, "commit_result: true or false"),
        ({**RECORDS[0], "step": -1}, "step: a whole number"),
    ],
)
def test_a_record_that_is_none_is_refused(record: object, reason: str) -> None:
    with pytest.raises(BadEvent, match=reason):
        torchft_run([record])


def test_a_heartbeat_older_than_five_seconds_is_stale() -> None:
    ages = [
        HeartbeatAge(replica=each, age_seconds=age)
        for each, age in zip("abc", (5, 5.1, 9), strict=True)
    ]
    assert [each.replica for each in stale_heartbeats(ages)] == ["c", "b"]


CYCLE = "[NVRx] - Cycle: 2 Event: {} Node: {} Rank: {} Time: 2026-11-01 10:00:{:06.3f} UTC"


def test_a_cycle_of_the_launcher_lasts_until_its_last_worker_runs() -> None:
    lines = [
        CYCLE.format("worker_start_completed", "n2", "N/A", 4.5),
        CYCLE.format("failure_detected", "n1", 3, 1.25),
        CYCLE.format("failure_detected", "n2", "N/A", 1.5),
        CYCLE.format("worker_start_completed", "n1", "N/A", 4.0),
        "something else",
    ]
    (found,) = launcher_restarts([*lines, *lines])
    assert found.took_seconds == pytest.approx(3.25)
    assert (found.number, found.ranks, found.hosts) == (2, (3,), ("n1", "n2"))
    (going,) = launcher_restarts(lines[1:3])
    assert going.took_seconds is None


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(BadEvent, match="is no time"):
        launcher_restarts([CYCLE.format("failure_detected", "n1", 3, 61.0)])


def test_an_in_process_restart_tells_who_is_left_out() -> None:
    message = (
        "restart: Interruption.TERMINATED on ranks=[3, 5], Interruption.EXCEPTION on ranks=[1]"
    )
    told = {"at": 7, "iteration": 2, "message": message}
    lost = inprocess_losses(told)
    assert [each.replica for each in lost if isinstance(each, ReplicaLost)] == ["rank 3", "rank 5"]
    state = {"at": 8, "iteration": 2, "former_world_size": 8, "active_world_size": 6}
    repaired = inprocess_event(state)
    assert (repaired.epoch, repaired.members_before, repaired.members_after) == (2, 8, 6)
    with pytest.raises(BadEvent, match="active_world_size"):
        inprocess_event({"at": 8, "iteration": 2, "former_world_size": 8})
    with pytest.raises(BadEvent, match="message"):
        inprocess_losses({"at": 8, "iteration": 2})


def elastic(state: str, restarts: int, rank: int, at: float) -> dict[str, Any]:
    return {
        "name": f"torchelastic.worker.status.{state}",
        "source": "WORKER",
        "timestamp": at,
        "metadata": {
            "run_id": "7",
            "global_rank": rank,
            "hostname": f"n{rank // 8}",
            "state": state,
            "agent_restarts": restarts,
        },
    }


def test_workers_that_failed_together_are_one_restart() -> None:
    told = [
        elastic("FAILED", 0, 9, 50),
        elastic("FAILED", 0, 3, 51),
        elastic("SUCCEEDED", 1, 3, 90),
    ]
    (found,) = elastic_restarts([*reversed(told), *told])
    assert (found.number, found.ranks, found.hosts, found.at_seconds) == (
        1,
        (3, 9),
        ("n0", "n1"),
        50,
    )
    assert elastic_restarts(told[:2]) == ()
    with pytest.raises(BadEvent, match="metadata"):
        elastic_restarts([{"timestamp": 1}])


def test_an_agents_line_tells_of_a_restart() -> None:
    text = "[default] Worker group FAILED. 2/3 attempts left; will restart worker group"
    found = elastic_line(text=text, at_seconds=9)
    assert found is not None
    assert (found.number, found.at_seconds) == (2, 9)
    assert elastic_line(text="[default] Worker group SUCCEEDED", at_seconds=9) is None


def test_a_restart_soon_after_a_loss_means_it_was_not_survived() -> None:
    (restart,) = launcher_restarts([CYCLE.format("failure_detected", "n1", 3, 30.0)])
    lost = ReplicaLost(
        at_seconds=restart.at_seconds - 600, replica="a", step=1, phase="", gpu_count=1
    )
    assert [each.lost for each in not_survived([lost, lost], [restart, restart])] == [lost]
    assert not_survived([lost], [restart], window_seconds=599) == ()
