"""A span holds what is printed at its first instant and not what is at its last, of its hosts."""

from itertools import pairwise
from typing import Any

import pytest

from apps.simulator.world.story import PrintedLine, SimulatedAttempt
from tests.apps.simulator.worlds import EPOCH, world

END = EPOCH + 120
NAMES = ("A3", "C1")


def _attempt(key: str) -> SimulatedAttempt:
    return next(one for one in world().attempts if one.key == key)


def _is_at(lines: list[PrintedLine], at: float) -> bool:
    return any(line.at == at for line in lines)


@pytest.mark.parametrize("key", NAMES)
def test_what_a_scheduler_says_stands_in_the_span_that_begins_with_it(key: str) -> None:
    attempt = _attempt(key)
    said = world().scheduler_lines(attempt, since=0, until=END)
    for at in {line.at for line in said}:
        assert _is_at(world().scheduler_lines(attempt, since=at, until=at + 1), at)
        assert not _is_at(world().scheduler_lines(attempt, since=at - 1, until=at), at)
    assert {line.attempt.key for line in said if line.attempt} == {key}


def test_what_a_fault_prints_stands_in_the_span_that_begins_with_it() -> None:
    for outcome in list(world().outcomes.values())[:3]:
        told = [one for one in outcome.lines if one.stream in {"kernel", "fabric", "storage"}]
        line = next(one for one in told if one.host != world().plan.silent_host)
        hosts = frozenset({line.host})
        inside = world().infrastructure_lines(since=line.at, until=line.at + 1, hosts=hosts)
        before = world().infrastructure_lines(since=line.at - 1, until=line.at, hosts=hosts)
        assert (_is_at(inside, line.at), _is_at(before, line.at)) == (True, False)


def test_kernel_logs_are_those_of_the_hosts_that_are_asked_for_and_other_logs_are_everybodys() -> (
    None
):
    span: dict[str, Any] = {"since": EPOCH - 4000, "until": EPOCH}
    everything = world().infrastructure_lines(**span)
    host = next(one.host for one in everything if one.stream == "kernel")
    for hosts in (frozenset({host}), frozenset[str]()):
        found = world().infrastructure_lines(**span, hosts=hosts)
        assert {one.host for one in found if one.stream == "kernel"} == hosts
        for stream in ("fabric", "storage"):
            wanted = [one for one in everything if one.stream == stream]
            assert [one for one in found if one.stream == stream] == wanted
    assert {one.stream for one in everything} <= {"kernel", "fabric", "storage"}


@pytest.mark.parametrize("key", ["C1", "C2"])
def test_an_attempt_makes_steps_and_saves_in_order_and_no_further_than_asked(key: str) -> None:
    attempt = _attempt(key)
    whole = list(world().steps(attempt, until=END))
    assert [one.at for one in whole] == sorted(one.at for one in whole)
    steps = [one for one in whole if one.kind == "step"]
    assert [one.number for one in steps] == list(
        range(steps[0].number, steps[0].number + len(steps))
    )
    pace = [one.seconds / attempt.step_seconds for one in steps]
    assert max(pace) < 1.03 or world().outcome_of(attempt) is not None
    middle = steps[len(steps) // 2].at
    part = list(world().steps(attempt, until=middle))
    assert part == [one for one in whole if one.at < middle][: len(part)]
    assert all(one.at < middle for one in part if one.kind == "step")
    saves = [one for one in whole if one.kind == "save" and one.seconds]
    gaps = [later.at - one.at for one, later in pairwise(saves)]
    assert all(gap >= attempt.save_every_seconds for gap in gaps)


def test_an_attempt_that_finished_says_so_in_the_span_that_begins_with_its_end() -> None:
    attempt = _attempt("B3")
    at = attempt.ends_at or 0.0
    for since, until, is_told in ((at, at + 1, True), (at - 60, at, False)):
        told = world().session_lines(attempt, since=since, until=until)
        assert any("exiting program" in line.text for line in told) is is_told


def test_what_starts_an_attempt_stands_in_the_span_that_begins_with_its_start() -> None:
    attempt = _attempt("B3")
    at = attempt.starts_at
    assert world().session_lines(attempt, since=at, until=at + 1)
    assert not world().session_lines(attempt, since=at - 60, until=at)


@pytest.mark.parametrize("kind", ["step", "save", "saved"])
def test_progress_stands_in_the_span_that_begins_with_it(kind: str) -> None:
    attempt = _attempt("C2")
    marks = [one for one in world().steps(attempt, until=END) if one.kind == kind]
    at = marks[len(marks) // 2].at
    whole = world().session_lines(attempt, since=at - 1, until=at + 1)
    first = world().session_lines(attempt, since=at - 1, until=at)
    second = world().session_lines(attempt, since=at, until=at + 1)
    assert first + second == whole
    assert second[0].at == at


def test_the_save_that_never_ends_is_the_last_word_and_no_other_stands_shortly_before_it() -> None:
    outcome = world().outcomes["nfs-queue"]
    for key, final in outcome.final_saves.items():
        marks = list(world().steps(_attempt(key), until=END))
        assert (marks[-1].kind, marks[-1].at) == ("save", final)
        saves = [one.at for one in marks[:-1] if one.kind == "save"]
        assert saves
        assert max(saves) < final - 299.0
        assert not [one for one in world().steps(_attempt(key), until=final) if one.at >= final]


def test_a_slow_rank_slows_every_step_from_then_on() -> None:
    outcome = world().outcomes["thermal-straggler"]
    ((key, (since, factor)),) = outcome.slow_from.items()
    attempt = _attempt(key)
    steps = [one for one in world().steps(attempt, until=END) if one.kind == "step"]
    for one in steps:
        pace = one.seconds / attempt.step_seconds
        is_slow = one.at - one.seconds >= since - 0.001
        assert pace == pytest.approx(factor if is_slow else 1.0, rel=0.021)
    assert any(one.at < since for one in steps)
    assert any(one.at - one.seconds >= since for one in steps)
