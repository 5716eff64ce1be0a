"""Folding: one failure told by many is one observation; doubles and cuts add nothing."""

from datetime import timedelta

from apps.diagnosis.model import Event, Observation, Role
from apps.diagnosis.reasoning.observations.fold import fold_events, symptoms, unique_events
from tests.diagnosis.events import after, event, readings, watchdog, xid


def _fold(*events: Event) -> list[Observation]:
    return fold_events(
        events=events,
        instant=lambda one: (one.line.at, timedelta(0)),
        host_of=lambda one: one.line.host,
    )


def test_the_same_wait_of_many_ranks_is_one_observation() -> None:
    (one,) = _fold(*(watchdog(rank, at=after(600), host=f"n{rank}") for rank in range(480)))
    assert (one.count, len(one.ranks)) == (480, 480)


def test_faults_of_two_hosts_stay_apart() -> None:
    assert [one.host for one in _fold(xid(79), xid(79, host="n2"))] == ["n1", "n2"]


def test_the_same_fault_hours_later_is_another_one() -> None:
    assert len(_fold(xid(79, at=after(-7200)), xid(79, at=after(0)))) == 2


def test_a_repeated_line_of_one_source_counts_once() -> None:
    one = event("pg-ops-failed", at=after(1), rank=0)
    assert len(unique_events(readings=[*readings([one]), *readings([one, one])])) == 1


def test_symptoms_come_with_the_most_told_first() -> None:
    told = [watchdog(rank, at=after(600), host="n1") for rank in range(3)]
    listed = symptoms(observations=_fold(xid(79), *told))
    assert [one.signature for one in listed] == ["pg-watchdog-timeout", "nvrm-xid-79"]
    assert listed[0].role is Role.CASCADE


def test_what_a_launcher_prints_of_a_node_is_about_that_node() -> None:
    lost = event("slurm-node-fail-srun", role=Role.INITIATING, fields={"host": "n7.cluster.local"})
    assert _fold(lost)[0].host == "n7"


def test_the_host_on_which_a_step_was_cancelled_is_not_the_one_that_failed() -> None:
    ended = event("slurm-node-failure", role=Role.INITIATING, fields={"host": "n7"})
    assert _fold(ended)[0].host == "n1"
