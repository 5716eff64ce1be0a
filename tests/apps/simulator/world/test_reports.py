"""What parties tell beside lines: states, exclusions, a recovery, a trace, weeks before."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from apps.simulator.metrics_server.promql.evaluate import Evaluator
from apps.simulator.metrics_server.promql.syntax import parse
from apps.simulator.metrics_server.promql.vectors import Vector
from apps.simulator.world.earlier_weeks import earlier_truths, earlier_weeks, lemon
from apps.simulator.world.reports import scheduler_states
from apps.simulator.world.reports.changes import changes_of
from apps.simulator.world.reports.exclusions import exclusions_of
from apps.simulator.world.reports.recovery_events import recovery_events
from apps.simulator.world.reports.step_traces import step_trace, traced_at
from apps.simulator.world.story import SimulatedAttempt
from apps.training.in_job.recovery_facts import fact_of_json
from apps.training.lifecycle.state_table import meaning_of
from apps.training.storage_path.slots import SlotReading, SlotScene, slot_reading
from apps.training.stragglers.importers.inspector import read_inspector, trace_of_inspector
from apps.training.stragglers.verdict import verdict_on
from apps.training.stragglers.what_if import what_if
from tests.apps.simulator.worlds import EPOCH, store, world

SEEDS = (1, 7, 23)


def _attempt(key: str, seed: int = 7) -> SimulatedAttempt:
    return next(each for each in world(seed).attempts if each.key == key)


@pytest.mark.parametrize("seed", SEEDS)
def test_states_of_an_attempt_follow_each_other_and_are_words_of_its_scheduler(seed: int) -> None:
    for attempt in world(seed).attempts:
        states = [
            *scheduler_states.waiting_states(attempt),
            scheduler_states.running_state(attempt),
            *scheduler_states.ending_states(attempt),
        ]
        assert [each.at for each in states] == sorted(each.at for each in states)
        for each in states:
            assert meaning_of(scheduler=attempt.style.scheduler, word=each.word).is_known


@pytest.mark.parametrize("seed", SEEDS)
def test_one_node_was_drained_three_times_in_the_weeks_before(seed: int) -> None:
    earlier = earlier_weeks(world(seed))
    found = exclusions_of(world=world(seed), earlier=earlier)
    weeks = [each for each in found if each.at < EPOCH - 86_400]
    assert {each.host for each in weeks} == {lemon(world(seed))}
    assert len(weeks) == 3
    assert min(each.at for each in weeks) > EPOCH - 28 * 86_400
    assert all(each.until and each.until < EPOCH for each in weeks)


def test_its_failures_are_in_the_ledger_under_names_of_their_own() -> None:
    earlier = earlier_weeks(world())
    truths = earlier_truths(earlier)
    names = {"earlier-ecc94", "earlier-nvlink149", "earlier-xid79-pcie"}
    assert {each.scenario for each in truths} == names
    assert {part.host for each in truths for part in each.culprits} == {lemon(world())}
    known = {each.session for each in world().attempts}
    assert known.isdisjoint({each.session for each in earlier.attempts})


def test_the_node_of_the_live_failure_stays_out_and_the_chains_is_back() -> None:
    now = exclusions_of(world=world(), earlier=earlier_weeks(world()))[-2:]
    blamed = [world().outcomes[name].truth.culprits[0].host for name in ("xid79-pcie", "live")]
    assert [each.host for each in now] == blamed
    assert [each.until is None for each in now] == [False, True]
    sixty = _attempt("A4")
    assert now[0].until is not None
    assert now[0].until < sixty.starts_at


@pytest.mark.parametrize("seed", SEEDS)
def test_a_job_that_lost_a_replica_does_each_steps_microbatches_all_the_same(seed: int) -> None:
    attempt = _attempt("B4", seed)
    events = recovery_events(world=world(seed), attempt=attempt, since=0, until=EPOCH)
    assert len({event["id"] for event in events}) == len(events)
    for event in events:
        fact_of_json(event)
    steps = [event for event in events if event["event"] == "step_committed"]
    numbers = [int(str(event["step"])) for event in steps]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert {event["microbatches"] for event in steps} == {56}
    assert [steps[0]["survivors"], steps[-1]["survivors"]] == [8, 7]
    quota = next(event for event in events if event["event"] == "quota_reassigned")
    assert isinstance(quota["microbatches"], dict)
    assert sum(quota["microbatches"].values()) == 56


def test_a_recovery_told_in_parts_is_the_one_told_at_once() -> None:
    attempt, lost = _attempt("B4"), world().outcomes["replica-lost"].truth.survived
    assert lost is not None
    cuts = [0.0, lost.at, lost.repaired_at + 0.015, EPOCH]
    parts = [
        event
        for since, until in pairwise(cuts)
        for event in recovery_events(world=world(), attempt=attempt, since=since, until=until)
    ]
    assert parts == recovery_events(world=world(), attempt=attempt, since=0, until=EPOCH)


def test_ranks_of_the_lost_replica_print_no_progress_afterwards() -> None:
    attempt, lost = _attempt("B4"), world().outcomes["replica-lost"].truth.survived
    assert lost is not None
    lines = world().session_lines(attempt, since=lost.repaired_at, until=EPOCH)
    assert len(lines) > 100
    assert not {line.rank for line in lines} & set(lost.ranks)


def test_slurm_has_no_word_for_a_session_that_runs_without_a_part() -> None:
    attempt, lost = _attempt("B4"), world().outcomes["replica-lost"].truth.survived
    assert lost is not None
    words = {}
    for scheduler in ("slurm", "backendai"):
        styled = replace(attempt, style=replace(attempt.style, scheduler=scheduler))
        state = scheduler_states.degraded_state(styled, lost)
        words[scheduler] = state.word if state else None
    assert words == {"slurm": None, "backendai": "RUNNING_DEGRADED"}


def test_others_tell_no_recovery_and_are_not_traced() -> None:
    attempt = _attempt("A1")
    assert recovery_events(world=world(), attempt=attempt, since=0, until=EPOCH) == []
    assert traced_at(world=world(), attempt=attempt) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_trace_of_the_straggler_names_the_gpu_that_really_was_hot(seed: int) -> None:
    lines = step_trace(world=world(seed), attempt=_attempt("C5", seed)).decode().splitlines()
    found = what_if(trace_of_inspector(read_inspector(name="trace", lines=lines)))
    worker = verdict_on(found).worker
    assert worker is not None
    assert worker.rank == world(seed).outcomes["thermal-straggler"].truth.culprits[0].rank


def test_a_save_of_sixty_nodes_is_bound_by_slots_and_the_one_that_fails_is_not() -> None:
    marks = [each for each in world().steps(_attempt("A4"), until=EPOCH) if each.kind == "save"]
    saves, fails = marks[0], marks[-1]
    readings = [_reading(saves.at + 30, 30.0), _reading(fails.at + 60, 300.0)]
    assert readings == [SlotReading.SLOT_LIMIT, SlotReading.QUEUEING]


def _reading(at: float, seconds: float) -> SlotReading:
    requests, sent, queue, response, request = (
        _grown(f"operations_{name}", at, seconds)
        for name in (
            *("requests_total", "sent_bytes_total", "queue_time_seconds_total"),
            *("response_time_seconds_total", "request_time_seconds_total"),
        )
    )
    rest = [
        _grown(f"operations_{name}", at - 600, 300.0)
        for name in ("response_time_seconds_total", "requests_total")
    ]
    backlog, sends = (
        _grown(f"transport_{name}_total", at, seconds) for name in ("backlog_queue", "sends")
    )
    return slot_reading(
        SlotScene(
            observed_bytes_per_second=sent / seconds,
            request_seconds=request / requests,
            queue_seconds=queue / requests,
            backlog_requests=backlog / sends,
            response_seconds=response / requests,
            quiet_response_seconds=rest[0] / rest[1],
        )
    ).reading


def _grown(name: str, at: float, seconds: float) -> float:
    """Return how much a counter of one node of sixty grew."""
    host = _attempt("A4").hosts[0]
    operation = ', operation="WRITE"' if name.startswith("operations") else ""
    labels = f'{{instance=~"{host}.*", export=~".*ckpt"{operation}}}'
    query = parse(f"node_mountstats_nfs_{name}{labels}")
    value = Evaluator(store=store(), steps=np.array([at, at + seconds])).value(query)
    assert isinstance(value, Vector)
    return float(value.values[0, 1] - value.values[0, 0])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_deploy_stands_before_the_exception_that_it_brought(seed: int) -> None:
    changes = changes_of(world=world(seed))
    broken = world(seed).outcomes["python-exception"].truth
    deploy = next(each for each in changes if each.kind == "deploy")
    assert 0 < broken.failed_at - deploy.at < 3600
    assert broken.culprits[0].host in deploy.hosts
    driver = next(each for each in changes if each.kind == "driver")
    assert len(driver.hosts) == 3
    assert all(each.at < EPOCH for each in changes)
