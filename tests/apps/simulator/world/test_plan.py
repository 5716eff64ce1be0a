"""The six hours: three sessions at once, nobody on two jobs, sizes that vary with the seed."""

from itertools import combinations

import pytest

from apps.simulator.world.machines.cluster import SimulatedCluster
from apps.simulator.world.plan import make_plan, scenario_names
from apps.simulator.world.story import SimulatedAttempt
from tests.apps.simulator.worlds import EPOCH, LIVE_AT, world

SEEDS = (1, 7, 23)


def _overlap(one: SimulatedAttempt, other: SimulatedAttempt) -> bool:
    return one.starts_at < (other.ends_at or EPOCH + 60) and other.starts_at < (
        one.ends_at or EPOCH + 60
    )


def test_there_are_thirteen_scenarios_and_one_of_them_is_live() -> None:
    assert len(set(scenario_names())) == 13
    assert [o.truth.scenario for o in world().outcomes.values() if o.truth.live] == ["live"]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_node_works_for_two_attempts_at_once(seed: int) -> None:
    attempts = world(seed).attempts
    clashes = [
        (one.key, other.key)
        for one, other in combinations(attempts, 2)
        if _overlap(one, other) and set(one.hosts) & set(other.hosts)
    ]
    assert clashes == []


@pytest.mark.parametrize("minute", [-345, -322, -262, -150, -70, -60, -10])
def test_at_least_three_sessions_run_at_once(minute: int) -> None:
    at = EPOCH + 60 * minute
    running = [
        a for a in world().attempts if a.starts_at <= at and (a.ends_at is None or a.ends_at > at)
    ]
    assert len({a.session for a in running}) >= 3


def test_the_twelve_lie_in_the_six_hours_before_the_epoch() -> None:
    failed = [o.truth.failed_at for o in world().outcomes.values() if not o.truth.live]
    assert len(failed) == 12
    assert min(failed) > EPOCH - 6 * 3600
    assert max(failed) < EPOCH


def test_without_a_decision_the_live_session_still_runs() -> None:
    plan = make_plan(seed=7, epoch=EPOCH)
    assert plan.attempt("A6").ends_at is None
    assert plan.attempt("A6").state == "running"
    assert make_plan(seed=7, epoch=EPOCH, live_at=LIVE_AT).strikes["A6"] == LIVE_AT


def test_a_checkpoint_of_sixty_nodes_stops_sessions_of_both_model_companies() -> None:
    truth = world().outcomes["nfs-queue"].truth
    assert [a.organization for a in truth.attempts] == ["northwind", "lumen"]
    assert len(truth.attempts[0].hosts) == 60


def test_seeds_vary_culprits_times_sizes_and_formats() -> None:
    seen = {seed: world(seed).outcomes["xid79-pcie"].truth for seed in SEEDS}
    assert len({t.culprits[0].host for t in seen.values()}) > 1
    assert len({t.failed_at for t in seen.values()}) == len(SEEDS)
    styles = {a.style for seed in SEEDS for a in world(seed).attempts}
    assert {s.trainer for s in styles} == {"megatron", "deepspeed", "titan"}
    assert {s.layout for s in styles} == {"rank", "srun", "tee"}
    assert len({s.nccl for s in styles}) >= 5


def test_one_clock_is_forty_seconds_off_and_one_host_lives_elsewhere() -> None:
    nodes = SimulatedCluster(seed=7).nodes
    assert max(abs(node.clock_offset_seconds) for node in nodes) == 40.0
    assert len({node.zone for node in nodes}) == 2
    assert {node.kernel_format for node in nodes} == {"journald", "syslog", "dmesg"}


def test_the_host_without_a_kernel_log_belongs_to_the_failure_without_evidence() -> None:
    plan = world().plan
    assert plan.silent_host in plan.of_scenario("no-evidence")[0].hosts
    blamed = {c.host for o in world().outcomes.values() for c in o.truth.culprits}
    assert plan.silent_host not in blamed


@pytest.mark.parametrize("seed", SEEDS)
def test_the_node_that_was_drained_is_left_out_of_the_chains_later_attempts(seed: int) -> None:
    plan = world(seed).plan
    drained = world(seed).outcomes["xid79-pcie"].truth.culprits[0].host
    first, *later = (plan.attempt(key) for key in ("A1", "A2", "A3"))
    assert drained in first.hosts
    assert first.excluded == ()
    for attempt in later:
        assert drained not in attempt.hosts
        assert attempt.excluded == (drained,)
        assert len(attempt.hosts) == len(first.hosts)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_job_that_lost_a_replica_still_runs_on_the_others(seed: int) -> None:
    truth = world(seed).outcomes["replica-lost"].truth
    attempt = next(each for each in world(seed).attempts if each.key == "B4")
    assert (attempt.state, attempt.ends_at) == ("running", None)
    assert truth.survived is not None
    assert truth.culprits[0].rank in truth.survived.ranks
    assert truth.survived.at < truth.survived.repaired_at
