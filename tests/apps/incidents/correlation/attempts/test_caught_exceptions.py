"""A program that catches an exception, logs it and goes on has not stopped, and nobody is told."""

from datetime import datetime, timedelta

import pytest

from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts.caught_exceptions import SILENT_AFTER, SILENT_WHILE_RUNNING
from apps.incidents.correlation.correlate import Correlated, correlate_attempt
from apps.incidents.models import Incident
from apps.notifications.models import Notification
from apps.notifications.occasions import incident_changes as notices
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in
from tests.cast import make
from tests.cast.pushes import Cast, cast

AT = make.AT
SOON = timedelta(seconds=5)
TRACE = """Traceback (most recent call last):
  File "/app/train.py", line 140, in log_metrics
    tracker.log(row)
  File "/app/tracker.py", line 31, in log
    return self.rows[key]
KeyError: 'grad_norm'"""
RAISED = TRACE.split("\n")
EXIT = (
    "E{at:%m%d %H:%M:%S}.120000 4242 torch/distributed/elastic/multiprocessing/api.py:1002] failed "
    "(exitcode: 1) local_rank: 2 (pid: 4245) of binary: /usr/bin/python3"
)


def _step(number: int, at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%S}+00:00 INFO train: step {number}/400 loss 2.31"


def _caught(at: datetime) -> list[str]:
    said = f"{at:%Y-%m-%dT%H:%M:%S}+00:00 ERROR train: could not log the metrics"
    return [_step(10, at - SOON), said, *RAISED]


class Run:
    """A session of a tenant whose log comes in bit by bit, looked at after each."""

    def __init__(self, people: Cast) -> None:
        self.people = people

    def says(self, lines: list[str], at: datetime) -> Correlated:
        """Push lines and look at once, as the portal does."""
        come_in(self.people.tenant, self.people.cluster, lines, at=at, session="run-1")
        return self.look(at + timedelta(seconds=2))

    def look(self, now: datetime) -> Correlated:
        """Diagnose from what is stored, and write what is to be told."""
        owner = self.people.tenant.pk
        with organization_scope(owner):
            number = Attempt.objects.get().pk
        found = correlate_attempt(owner_id=owner, attempt_id=number, now=now)
        notices.look(organization_id=owner, now=now)
        return found

    def told(self) -> tuple[int, int, bool]:
        """Return how many incidents and notices there are, and whether a warning stands."""
        with organization_scope(self.people.tenant.pk):
            doubted = Attempt.objects.get().doubted_at is not None
            return Incident.objects.count(), Notification.objects.count(), doubted


@pytest.fixture
def run(db: None) -> Run:
    return Run(cast())


def test_an_exception_in_a_going_run_is_a_warning_and_no_letter(run: Run) -> None:
    found = run.says(_caught(AT), AT)

    assert run.told() == (0, 0, True)
    assert found.settles_at == AT + SILENT_AFTER  # and then it is looked at again


def test_the_same_followed_by_an_exit_is_an_incident(run: Run) -> None:
    run.says(_caught(AT), AT)
    run.says([EXIT.format(at=AT + SOON)], AT + SOON)

    incidents, letters, is_doubted = run.told()
    assert (incidents, letters > 0, is_doubted) == (1, True, False)


def test_the_same_followed_by_silence_is_an_incident(run: Run) -> None:
    run.says(_caught(AT), AT)
    run.look(AT + SILENT_AFTER)

    assert run.told()[0] == 1


def test_the_same_followed_by_steps_stays_a_warning_however_long_the_next_pause_is(
    run: Run,
) -> None:
    run.says(_caught(AT), AT)
    later = AT + timedelta(minutes=2)
    run.says([_step(40 + n, later + timedelta(seconds=n)) for n in range(20)], later + 4 * SOON)
    run.look(later + 10 * SILENT_AFTER)

    assert run.told() == (0, 0, True)


def test_a_second_exception_after_the_steps_and_then_silence_is_an_incident(run: Run) -> None:
    run.says(_caught(AT), AT)
    later = AT + timedelta(minutes=2)
    run.says([_step(40 + n, later + timedelta(seconds=n)) for n in range(20)], later + 4 * SOON)
    end = later + timedelta(minutes=1)
    run.says(_caught(end), end)
    run.look(end + SILENT_AFTER)

    assert run.told()[0] == 1


def test_an_exception_that_nobody_caught_needs_no_other_word(run: Run) -> None:
    run.says([_step(10, AT), *(f"[rank2]: {line}" for line in RAISED)], AT)

    assert run.told()[0] == 1


def test_a_log_that_comes_long_after_is_an_incident_at_once(run: Run) -> None:
    come_in(run.people.tenant, run.people.cluster, _caught(AT), at=AT, session="run-1")
    run.look(AT + timedelta(hours=1))

    assert run.told()[0] == 1


def test_who_looks_only_at_the_end_sees_no_incident_of_a_run_that_finished(run: Run) -> None:
    done = f"{AT + SOON:%Y-%m-%dT%H:%M:%S}+00:00 INFO train: training finished after 400 steps"
    run.says([*_caught(AT), _step(400, AT + SOON), done], AT + SOON)

    assert run.told() == (0, 0, False)


def test_a_loss_that_is_no_number_in_a_going_run_is_no_stop(run: Run) -> None:
    said = f"{AT:%Y-%m-%dT%H:%M:%S}+00:00 WARNING train: loss is nan, the step is skipped"
    run.says([_step(10, AT - SOON), said], AT)

    assert run.told() == (0, 0, True)


def test_out_of_memory_that_is_caught_in_a_going_run_is_no_stop(run: Run) -> None:
    raised = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has"
    run.says([*_caught(AT)[:-1], raised], AT)
    later = AT + timedelta(minutes=2)
    run.says([_step(40 + n, later + timedelta(seconds=n)) for n in range(20)], later + 4 * SOON)
    run.look(later + 10 * SILENT_AFTER)

    assert run.told() == (0, 0, True)


def test_who_speaks_seldom_is_given_longer(run: Run) -> None:
    often = timedelta(minutes=4)
    steps = [_step(n, AT - (5 - n) * often) for n in range(5)]
    run.says([*steps, *_caught(AT)[1:]], AT)
    run.look(AT + SILENT_AFTER)
    assert run.told() == (0, 0, True)

    run.look(AT + timedelta(minutes=30))
    assert run.told()[0] == 1


def test_of_a_run_that_the_scheduler_calls_running_silence_tells_later(run: Run) -> None:
    come_in(run.people.tenant, run.people.cluster, _caught(AT), at=AT, session="run-1")
    with organization_scope(run.people.tenant.pk):
        Attempt.objects.update(state="running")
    run.look(AT + SILENT_AFTER)
    assert run.told() == (0, 0, True)

    run.look(AT + SILENT_WHILE_RUNNING)
    assert run.told()[0] == 1


def test_the_schedulers_word_of_the_end_needs_no_silence(run: Run) -> None:
    come_in(run.people.tenant, run.people.cluster, _caught(AT), at=AT, session="run-1")
    with organization_scope(run.people.tenant.pk):
        Attempt.objects.update(state="failed", ended_at=AT + SOON)
    run.look(AT + SOON)

    assert run.told()[0] == 1


def test_steps_that_came_with_the_exception_tell_as_well_that_it_went_on(run: Run) -> None:
    raised_at = AT - timedelta(minutes=10)
    steps = [_step(40 + n, raised_at + timedelta(seconds=60 + n)) for n in range(20)]
    run.says([*_caught(raised_at), *steps], AT)
    run.look(AT + 10 * SILENT_AFTER)

    assert run.told() == (0, 0, True)


def _iteration(number: int, at: datetime) -> str:
    return (
        f" [{at:%Y-%m-%d %H:%M:%S}] iteration {number:8}/  500000 | consumed samples: "
        f"{number * 1024:12} | elapsed time per iteration (ms): 12031.0 | learning rate: 2.99E-04 "
        "| global batch size:  1024 | lm loss: 2.31E+00 | grad norm: 0.26 |"
    )


def test_steps_tell_that_it_went_on_also_where_no_line_before_the_exception_has_a_time(
    run: Run,
) -> None:
    """A framework's lines of steps are the only ones with a time, and the exception has none."""
    begun = AT - timedelta(minutes=20)
    every = timedelta(seconds=12)
    before = [_iteration(1201 + n, begun + n * every) for n in range(20)]
    after = [_iteration(1226 + n, begun + (26 + n) * every) for n in range(30)]
    run.says([*before, *RAISED, *after], AT)
    run.look(AT + 10 * SILENT_AFTER)

    assert run.told() == (0, 0, True)


def test_a_stamp_of_tomorrow_keeps_no_stop_from_being_told(run: Run) -> None:
    run.says([*_caught(AT), "2026-12-24T00:00:00+00:00 INFO train: bye"], AT)
    assert run.told() == (0, 0, True)
    run.look(AT + 10 * SILENT_WHILE_RUNNING)

    assert run.told()[0] == 1


def _warned_and_went_on() -> tuple[list[str], list[str]]:
    warned = f"{AT:%Y-%m-%dT%H:%M:%S}+00:00 gpu001:77:99 [0] NCCL WARN NET/IB : Got "
    warned += "completion from peer 10.0.0.7<41234> with status=12 opcode=0 len=0 vendor err 129"
    later = [_step(10 + n, AT + timedelta(seconds=10 * n)) for n in range(1, 12)]
    return [_step(9, AT - SOON), warned], later


def test_a_failure_that_steps_followed_is_withdrawn(run: Run) -> None:
    warned, later = _warned_and_went_on()
    run.says(warned, AT)
    before = run.told()
    run.says(later, AT + timedelta(minutes=2))

    assert before[:2] == (1, 1)
    with organization_scope(run.people.tenant.pk):
        assert Incident.objects.get().status == "withdrawn"


def test_a_failure_that_steps_followed_is_no_stop_however_long_nothing_comes(run: Run) -> None:
    warned, later = _warned_and_went_on()
    run.says([*warned, *later], AT + timedelta(minutes=2))
    run.look(AT + timedelta(hours=1))

    assert run.told()[:2] == (0, 0)
