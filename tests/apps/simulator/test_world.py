"""What is printed: the same for the same seed, mostly innocent, in order, in any part of it."""

from collections import Counter

import pytest

from apps.simulator.world.faults import collect
from apps.simulator.world.plan import scenario_names
from apps.simulator.world.story import SimulatedAttempt, Weight
from apps.simulator.world.streams import grouped, texts_of
from apps.simulator.world.world import back_fill_starts, make_world
from tests.apps.simulator.worlds import EPOCH, LIVE_AT, world

END = EPOCH + 120


def _attempt(key: str, seed: int = 7) -> SimulatedAttempt:
    return next(a for a in world(seed).attempts if a.key == key)


def test_the_same_seed_prints_the_same_lines() -> None:
    again = make_world(seed=7, epoch=EPOCH, live_at=LIVE_AT)
    attempt = _attempt("C1")
    twin = next(a for a in again.attempts if a.key == "C1")
    lines = world().session_lines(attempt, since=0, until=END)
    assert lines == again.session_lines(twin, since=0, until=END)
    assert len(lines) > 1000


def test_another_seed_prints_others() -> None:
    mine = world().session_lines(_attempt("C1"), since=0, until=END)
    others = world(23).session_lines(_attempt("C1", 23), since=0, until=END)
    assert {line.text for line in mine}.isdisjoint(
        {line.text for line in others if line.weight is Weight.FAULT}
    )


@pytest.mark.parametrize("cut", [-352.4, -350.0, -345.37, -341.0])
def test_a_day_told_in_parts_is_the_day_told_at_once(cut: float) -> None:
    attempt, at = _attempt("C1"), EPOCH + 60 * cut
    whole = world().session_lines(attempt, since=0, until=END)
    first = world().session_lines(attempt, since=0, until=at)
    second = world().session_lines(attempt, since=at, until=END)
    assert Counter(first + second) == Counter(whole)


def test_kernel_logs_told_in_parts_are_whole() -> None:
    whole = world().infrastructure_lines(since=EPOCH - 4000, until=EPOCH)
    parts = [
        line
        for k in range(4)
        for line in world().infrastructure_lines(
            since=EPOCH - 4000 + 1000 * k, until=EPOCH - 3000 + 1000 * k
        )
    ]
    assert Counter(parts) == Counter(whole)


def test_at_least_98_in_100_lines_are_innocent() -> None:
    counted: Counter[str] = Counter()
    for attempt in world().attempts:
        for line in world().session_lines(attempt, since=0, until=END):
            counted[line.weight] += sum(1 for _ in texts_of(line))
    for line in world().infrastructure_lines(since=back_fill_starts(EPOCH), until=END):
        counted[line.weight] += 1
    assert 150_000 < counted.total() < 400_000
    assert counted[Weight.INNOCENT] / counted.total() >= 0.98


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_has_at_least_two_red_herrings(name: str) -> None:
    outcome = world().outcomes[name]
    herrings = {
        (line.host, line.text.partition(":")[0])
        for line in outcome.lines
        if line.weight is Weight.HERRING
    }
    assert len(herrings) >= 2


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_has_a_module_of_its_own(name: str) -> None:
    assert collect()[name].name == name


def test_one_kernel_log_is_missing() -> None:
    lines = world().infrastructure_lines(since=back_fill_starts(EPOCH), until=END)
    hosts = {line.host for line in lines if line.stream == "kernel"}
    assert len(hosts) == 62
    assert world().plan.silent_host not in hosts


def test_a_rank_that_died_prints_no_progress_afterwards() -> None:
    outcome = world().outcomes["host-oom"]
    attempt = _attempt("A3")
    last = max(
        line.at
        for line in world().session_lines(attempt, since=0, until=END)
        if line.weight is Weight.INNOCENT
    )
    assert last <= outcome.halts["A3"] + 0.02


def test_streams_stay_in_order_and_are_marked_as_simulated() -> None:
    attempt = _attempt("C2")
    lines = world().session_lines(attempt, since=0, until=END)
    rows = grouped(cluster=world().plan.cluster, lines=lines)
    assert all(key.labels["simulated"] == "true" for key in rows)
    assert all(key.labels["session"] == attempt.session for key in rows)
    stamps = [[at for at, _ in texts] for texts in rows.values()]
    assert all(each == sorted(each) for each in stamps)
