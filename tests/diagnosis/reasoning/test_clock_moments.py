"""When a session failed by each host's clock, and which faults name one of its own processes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from apps.diagnosis.model import Event, Role, Severity, Stream
from apps.diagnosis.reasoning.timing.clocks.pairs import MOST_WAITED, PAUSE, moments
from apps.diagnosis.reasoning.timing.clocks.zones import Moments
from tests.diagnosis.events import NOON, after, event, readings, watchdog, xid

SECOND = timedelta(seconds=1)


def _found(*told: Event) -> Moments:
    return moments(readings=readings(told), raw=lambda line: line.at, shifts={}, aliases={})


def _of_process(one: Event, pid: int) -> Event:
    return replace(one, line=replace(one.line, pid=pid))


def _fault(pid: int, host: str = "n1") -> Event:
    one = xid(31, at=after(3), host=host)
    return replace(one, line=replace(one.line, text=f"NVRM: Xid (PCI:0000:1b:00): 31, pid={pid}"))


def test_a_fault_is_the_sessions_own_that_names_its_process_on_that_host() -> None:
    died = _of_process(event("pg-ops-failed", at=NOON), 4021)
    for fault, own in (
        (_fault(4021), [after(3)]),
        (_fault(4022), []),
        (_fault(4021, host="n2"), []),
    ):
        found = _found(died, fault)
        assert [list(stamps) for stamps in found.own_faults.values() if stamps] == [own] * bool(own)
        assert [list(stamps) for stamps in found.faults.values()] == [[after(3)]]


def test_a_host_failed_when_it_said_so_and_when_it_began_to_wait() -> None:
    found = _found(watchdog(0, at=after(600), host="n1"), watchdog(9, at=after(601), host="n2"))
    assert list(found.of_host["n1"]) == [NOON, after(600)]
    assert list(found.of_host["n2"]) == [after(1), after(601)]
    assert found.waited == timedelta(minutes=10)


def test_no_wait_is_taken_for_longer_than_any_watchdogs() -> None:
    for hours, waited in ((1.9, timedelta(hours=1.9)), (3, MOST_WAITED)):
        wait = watchdog(0, at=NOON, host="n1", duration_ms=str(int(hours * 3_600_000)))
        assert _found(wait).waited == waited


@pytest.mark.parametrize(
    ("apart", "edges"),
    [
        (PAUSE, [NOON, NOON + 2 * PAUSE]),
        (PAUSE + SECOND, [NOON + n * (PAUSE + SECOND) for n in range(3)]),
    ],
)
def test_signs_of_failure_are_one_burst_until_a_pause(
    apart: timedelta, edges: Sequence[datetime]
) -> None:
    told = [event("pg-ops-failed", at=NOON + n * apart, number=n + 1) for n in range(3)]
    assert list(_found(*told).of_all) == list(edges)


def test_progress_is_no_failure_and_alerts_are_no_faults() -> None:
    step = event("step-pace", at=NOON, role=Role.PROGRESS)
    alert = event("alert", at=NOON, role=Role.INITIATING, stream=Stream.ALERTS)
    unset = xid(79, at=None)
    found = _found(step, alert, unset)
    assert (found.of_all, found.faults, found.own_faults) == ([], {}, {})


def test_a_request_to_end_this_job_is_its_own_where_launchers_tell_of_a_signal() -> None:
    asked = event("slurm-kill-request", at=after(7200), stream=Stream.SCHEDULER, number=3)
    closing = event("torchrun-closing", at=NOON, role=Role.TEARDOWN)
    signalled = event("torchrun-death-signal", at=NOON, role=Role.INITIATING, number=2)
    told = _found(asked, closing, signalled)
    assert [list(stamps) for stamps in told.own_faults.values()] == [[after(7200)]]
    assert list(told.faults.values()) == [[after(7200)]]
    assert _found(asked, closing).own_faults == {}


def test_what_a_rank_raised_is_a_moment_of_failure_before_others_wait() -> None:
    doubted = event("py-exception-final", at=NOON, role=Role.INITIATING)
    raised = replace(doubted, severity=Severity.FATAL)
    assert list(_found(raised, watchdog(1, at=after(900), host="n2")).of_host["n1"]) == [NOON]
    assert "n1" not in _found(doubted, watchdog(1, at=after(900), host="n2")).of_host
