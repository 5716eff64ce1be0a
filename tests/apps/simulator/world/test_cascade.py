"""How a failure spreads: who notices, who waits, which launcher gives up, and who stands by."""

from dataclasses import replace

from apps.simulator.world import cascade
from apps.simulator.world.decoys import add
from apps.simulator.world.faults.no_evidence import NO_EVIDENCE
from apps.simulator.world.noise import Dice
from apps.simulator.world.plan import LIVE
from apps.simulator.world.story import FaultScene, PrintedLine
from tests.apps.simulator.worlds import EPOCH, LIVE_AT, world

PLAN = world().plan
ATTEMPT = PLAN.attempt("A1")
SCENE = FaultScene(cluster=PLAN.cluster, attempt=ATTEMPT, at=EPOCH, dice=Dice(seed=7))
EVERYBODY, NOBODY = 1.0, 0.0


def _ranks(lines: list[PrintedLine]) -> list[int | None]:
    return sorted({line.rank for line in lines}, key=lambda rank: rank or 0)


def test_who_holds_a_connection_to_a_dead_rank_notices_and_a_share_of_the_rest() -> None:
    size = ATTEMPT.world_size
    near = cascade.neighbours(scene=SCENE, attempt=ATTEMPT, ranks=[3], share=NOBODY)
    assert near == sorted({11, (3 - 8) % size})
    everybody = cascade.neighbours(scene=SCENE, attempt=ATTEMPT, ranks=[3], share=EVERYBODY)
    assert everybody == [rank for rank in range(size) if rank != 3]


def test_a_neighbour_loses_the_dead_rank_at_once_and_others_lose_their_own_neighbour_later() -> (
    None
):
    lines = cascade.peers_lost(scene=SCENE, attempt=ATTEMPT, dead=[3], at=EPOCH, share=EVERYBODY)
    first = {line.rank: line.at - EPOCH for line in reversed(lines)}
    near = {11, (3 - 8) % ATTEMPT.world_size}
    assert {rank for rank, late in first.items() if late < 1.0} == near
    assert 3 not in first


def test_all_wait_in_vain_but_the_silent_and_one_of_each_host_takes_its_process_down() -> None:
    lines = cascade.waited_in_vain(
        scene=SCENE, attempt=ATTEMPT, since=EPOCH, silent={3}, share=EVERYBODY, op="X", numel=1
    )
    assert _ranks(lines) == [rank for rank in range(ATTEMPT.world_size) if rank != 3]
    down = [line.rank for line in lines if "taking the entire process down" in line.text]
    assert down == list(range(0, ATTEMPT.world_size, 8))
    given = {"scene": SCENE, "attempt": ATTEMPT, "since": EPOCH, "silent": set[int]()}
    assert cascade.waited_in_vain(**given, share=NOBODY, op="X", numel=1) == []  # type: ignore[arg-type]


def test_the_launcher_of_the_first_rank_gives_up_and_a_share_of_the_others() -> None:
    def hosts(share: float) -> set[str]:
        lines = cascade.launchers_give_up(
            scene=SCENE, attempt=ATTEMPT, first=9, code=-6, at=EPOCH, node_share=share
        )
        return {line.host for line in lines}

    assert hosts(NOBODY) == {ATTEMPT.host(9)}
    assert hosts(EVERYBODY) == set(ATTEMPT.hosts)


def test_hosts_of_other_sessions_of_that_time_stand_by() -> None:
    for attempt in world().attempts:
        if attempt.key not in PLAN.strikes or not attempt.scenario:
            continue
        at = PLAN.strikes[attempt.key]
        others = {
            host
            for other in PLAN.attempts
            for host in other.hosts
            if other.key != attempt.key and other.starts_at < at < (other.ends_at or at + 1)
        }
        scene = world()._scene(attempt, attempt.scenario)
        assert set(scene.bystanders) == others - set(attempt.hosts)
        assert scene.live is (attempt.scenario == LIVE)


def test_the_host_without_a_kernel_log_is_no_decoy_of_now_and_breaks_nothing() -> None:
    silent = ATTEMPT.hosts[1]
    scene = replace(SCENE, silent_host=silent, bystanders=ATTEMPT.hosts[:2])
    names = ("mlx5-noise", "late-aer")
    for seed in range(8):
        lines, _ = add(scene=replace(scene, dice=Dice(seed=seed)), names=names)
        assert silent not in {line.host for line in lines if line.stream == "kernel"}
        rank = replace(scene, dice=Dice(seed=seed)).victim_rank()
        assert ATTEMPT.host(rank) not in {silent, ATTEMPT.hosts[0]}


def test_the_host_that_left_no_trace_has_no_launcher_that_gives_up() -> None:
    outcome = world().outcomes["no-evidence"]
    hosts = {line.host for line in outcome.lines if "exitcode" in line.text}
    assert hosts
    assert PLAN.silent_host not in hosts


def test_who_goes_silent_sits_on_the_host_without_a_kernel_log_else_on_the_last() -> None:
    for silent, lost in ((ATTEMPT.hosts[1], ATTEMPT.hosts[1]), ("gpu063", ATTEMPT.hosts[-1])):
        scene = replace(SCENE, silent_host=silent, bystanders=ATTEMPT.hosts[:2])
        lines = NO_EVIDENCE.strike(scene).lines
        first = min((line for line in lines if "remote peer" in line.text), key=lambda one: one.at)
        assert f"remote peer {lost}." in first.text


def test_only_a_session_that_still_runs_has_no_end() -> None:
    running = {one.key for one in PLAN.attempts if one.state == "running"}
    assert running == {one.key for one in PLAN.attempts if one.ends_at is None}
    assert PLAN.attempt("A6").ends_at == PLAN.strikes["A6"] == LIVE_AT
    assert len(running) > 0
