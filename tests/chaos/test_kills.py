"""Whatever is killed in the middle, every acknowledged line is there once."""

import os
import signal
from collections.abc import Callable

import pytest

from tests.chaos.conftest import BATCHES, LINES_EACH, Stack
from tests.chaos.worker_names import WORKER

READ_SECONDS = 60
AT = (3, 17, 31)  # after which batches; three tries each


def assert_each_line_is_there_once(stack: Stack) -> None:
    """Compare what was acknowledged with what the database holds."""
    stack.wait_until_read(seconds=READ_SECONDS)
    assert len(stack.acknowledged) == BATCHES
    assert stack.stored_lines() == list(range(BATCHES * LINES_EACH))
    assert stack.ask("SELECT count(*) FROM telemetry_event") != [0]


def push_and(stack: Stack, *, at: int, act: Callable[[], object]) -> None:
    """Push everything and act once, after the batch with this number."""
    acts = {at: act}
    stack.push_all(meanwhile=lambda number: acts.get(number, int)())


@pytest.mark.parametrize("at", AT)
def test_a_killed_worker_is_named_and_the_next_start_reads_the_rest(stack: Stack, at: int) -> None:
    with stack.running() as process:
        for number in range(at):
            stack.push(number)
        os.kill(stack.process(WORKER), signal.SIGKILL)
        said, _ = process.communicate(timeout=20)
        assert "worker ended (signal 9)" in said

    with stack.running():
        for number in range(BATCHES):  # a sender that doesn't know what arrived sends it all
            stack.push(number)
        assert_each_line_is_there_once(stack)


@pytest.mark.parametrize("at", AT)
def test_a_killed_child_of_the_worker_loses_nothing_and_the_worker_goes_on(
    stack: Stack, at: int
) -> None:
    with stack.running() as process:
        push_and(
            stack,
            at=at,
            act=lambda: os.kill(stack.process(WORKER, is_child_of=WORKER), signal.SIGKILL),
        )

        assert_each_line_is_there_once(stack)
        assert process.poll() is None


@pytest.mark.parametrize("at", AT)
def test_a_queue_that_forgets_everything_makes_lines_late_not_lost(stack: Stack, at: int) -> None:
    with stack.running() as process:
        push_and(stack, at=at, act=stack.empty_broker)

        assert_each_line_is_there_once(stack)
        assert process.poll() is None


@pytest.mark.parametrize("at", AT)
def test_a_database_that_comes_back_needs_no_restart_of_the_portal(stack: Stack, at: int) -> None:
    with stack.running() as process:
        push_and(stack, at=at, act=stack.restart_postgres)

        assert_each_line_is_there_once(stack)
        assert process.poll() is None
