"""Trainers that date their lines around a PyTorch that does not: nobody says when the watchdog
spoke, so nothing is ruled out by the last printed time.
"""

from datetime import datetime, timedelta

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    Diagnosis,
    Observation,
    Origin,
    Reading,
    Role,
    Stream,
    VerdictStatus,
)
from apps.diagnosis.reasoning.timing import phases
from apps.diagnosis.reasoning.timing.first_stop import undated_wait
from apps.diagnosis.reasoning.timing.undated import Beginning, beginning
from apps.diagnosis.signatures.read import read_source
from tests.diagnosis.events import NOON, after, event
from tests.scenarios.verdicts import reason_of

MINUTE = 60.0
WAIT = timedelta(minutes=10)
WATCHDOG = (
    "[rank{rank}]:[E {stamp}ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective "
    "operation timeout: WorkNCCL(SeqNum=1408, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, "
    "Timeout(ms)={wait}) ran for {wait} milliseconds before timing out."
)


def _told(*, fault: float, wait: float = 600.0, stamp: str = "", ended: float = 0.0) -> Diagnosis:
    """Return what is concluded when the last step came at noon and an Xid seconds after it."""
    told = [_rank(rank, wait, stamp) for rank in (0, 1, 8, 9)]
    if ended:
        line = f"E{after(ended):%m%d %H:%M:%S}.301000 4021 torch/distributed/elastic/"
        line += "multiprocessing/api.py:984] failed (exitcode: -6) local_rank: 0 (pid: 42) "
        line += "of binary: python"
        told.append(_source("session/n1/torchrun.log", "n1", Stream.SESSION, line))
    kernel = (
        f"{after(fault):%Y-%m-%dT%H:%M:%S+00:00} n2 kernel: NVRM: Xid (PCI:0000:1b:00): 79, "
        "pid=1234, GPU has fallen off the bus."
    )
    told.append(_source("kernel/n2.log", "n2", Stream.KERNEL, kernel))
    return diagnose(readings=told)


def _rank(rank: int, wait: float, stamp: str) -> Reading:
    host = f"n{rank // 8 + 1}"
    steps = [
        f"{after(-MINUTE * back):%Y-%m-%d %H:%M:%S} [rank{rank}] step {99 - back} loss 2.1 "
        "tokens/s 18000"
        for back in range(7, -1, -1)
    ]
    last = WATCHDOG.format(rank=rank, stamp=stamp, wait=round(wait * 1000))
    text = "\n".join([*steps, last])
    return _source(f"session/{host}/rank{rank}.log", host, Stream.SESSION, text)


def _source(name: str, host: str, stream: Stream, text: str) -> Reading:
    origin = Origin(source=name, host=host, stream=stream, received_at=after(9 * 3600))
    return read_source(origin=origin, text=text)


@pytest.mark.parametrize(
    ("fault", "wait"), [(5, 600), (-120, 600), (540, 600), (5, 1800), (1700, 1800)]
)
def test_a_gpu_lost_about_the_last_dated_line_is_named_without_stamps(
    fault: float, wait: float
) -> None:
    verdict = _told(fault=fault, wait=wait).verdict
    assert (verdict.status, verdict.cause) == (VerdictStatus.LIKELY, "gpu-off-bus")


def test_it_broke_when_what_is_blamed_says_so_about_the_last_dated_line() -> None:
    assert _told(fault=5).failed_at == after(5)


def test_no_time_is_told_where_none_is_known() -> None:
    assert _told(fault=540).failed_at is None


def test_what_came_hours_later_is_neither_ruled_out_nor_blamed() -> None:
    diagnosis = _told(fault=4 * 3600)
    assert diagnosis.verdict.status is VerdictStatus.UNKNOWN
    assert not any(one.ruled_out_because for one in diagnosis.hypotheses)


def test_what_was_over_before_the_last_steps_is_old_however_long_the_wait() -> None:
    diagnosis = _told(fault=-40 * MINUTE, wait=7200)
    assert diagnosis.verdict.status is VerdictStatus.UNKNOWN
    assert any("before the failure" in reason_of(h) for h in diagnosis.hypotheses)


@pytest.mark.parametrize("wait", [600, 1800])
def test_a_launcher_that_dates_the_end_is_taken_for_the_end_of_the_wait(wait: float) -> None:
    diagnosis = _told(fault=5, wait=wait, ended=wait + 11)
    assert diagnosis.verdict.cause == "gpu-off-bus"
    assert diagnosis.failed_at == after(5)


def test_a_watchdog_with_a_whole_date_is_read() -> None:
    diagnosis = _told(fault=5, stamp=f"{after(605):%Y-%m-%d %H:%M:%S}.100 ")
    assert (diagnosis.verdict.cause, diagnosis.failed_at) == ("gpu-off-bus", after(5))


def test_a_watchdog_without_a_time_leaves_open_by_its_wait_when_it_began() -> None:
    assert _beginning(_waited()) == Beginning(at=NOON - WAIT, late=2 * WAIT, is_open=True)


def test_a_session_that_made_a_step_was_not_waiting_yet() -> None:
    found = _beginning(_waited(), _step(-60))
    assert found == Beginning(at=after(-60), late=WAIT + timedelta(seconds=60), is_open=True)


def test_a_session_that_told_of_no_failure_failed_when_it_fell_silent() -> None:
    assert _beginning(_step(-60)) == Beginning(at=NOON)


@pytest.mark.parametrize(
    ("spoke_last", "began", "late"),
    [(None, NOON - WAIT, 2 * WAIT), (120.0, after(120) - WAIT, 2 * WAIT - timedelta(seconds=120))],
)
def test_the_wait_counts_from_the_last_dated_word_else_from_the_failure(
    spoke_last: float | None, began: datetime, late: timedelta
) -> None:
    found = beginning(
        observations=(_waited(),),
        failed_at=NOON,
        silent_at=None if spoke_last is None else after(spoke_last),
        wait=WAIT,
        steps=phases.STEPS,
    )
    assert found == Beginning(at=began, late=late, is_open=True)


def _beginning(*observations: Observation) -> Beginning:
    wait = undated_wait(observations=observations)
    return beginning(
        observations=observations, failed_at=None, silent_at=NOON, wait=wait, steps=phases.STEPS
    )


def _waited() -> Observation:
    told = event("pg-watchdog-timeout", duration_ms="600000")
    return Observation(sign=told.signature, role=Role.CASCADE, layer=None, events=(told,))


def _step(seconds: float) -> Observation:
    at = after(seconds)
    return Observation(sign="step-pace", role=Role.PROGRESS, layer=None, at=at, last_at=at)
