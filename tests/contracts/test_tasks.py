"""Every task is bounded, named and queued; every period names a task."""

from typing import Any

import pytest
from celery import Task

from apps.operations.schedule import PERIODS
from portal.celery import VISIBILITY_TIMEOUT_SECONDS, app

QUEUES = {"ingest", "correlate", "default"}

app.loader.import_default_modules()
# In order, so that every process of a run collects the same.
# Those of tests are registered, too, where their modules were read before.
TASKS = {
    name: app.tasks[name]
    for name in sorted(app.tasks)
    if not name.startswith("celery.") and app.tasks[name].__module__.startswith("apps.")
}


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_task_says_its_queue_and_both_limits(task: Task[Any, Any]) -> None:
    assert getattr(task, "queue", None) in QUEUES
    assert task.soft_time_limit
    assert task.time_limit
    assert task.soft_time_limit < task.time_limit < VISIBILITY_TIMEOUT_SECONDS


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_task_retries_a_bounded_number_of_times_and_acknowledges_late(
    task: Task[Any, Any],
) -> None:
    assert task.max_retries is not None
    assert task.acks_late
    assert task.reject_on_worker_lost
    assert task.ignore_result


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_a_task_is_named_after_its_app(task: Task[Any, Any]) -> None:
    assert task.name.split(".")[0] == task.__module__.split(".")[1]


@pytest.mark.parametrize("name", PERIODS)
def test_a_period_names_a_task(name: str) -> None:
    assert name in TASKS
