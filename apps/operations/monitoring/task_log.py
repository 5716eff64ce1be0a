"""What is kept of each task: one line, and counts that all workers add to, beside the queue.

The counts begin again at zero when the queue's server loses them, as counters may.
"""

import logging
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate
from typing import Any, cast

import redis
from celery import Task
from django.conf import settings
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric

from apps.operations.process_log.log_lines import name_work
from apps.operations.schedule import PERIODS

logger = logging.getLogger("portal.tasks")

BOUNDS = (0.05, 0.25, 1.0, 5.0, 15.0, 60.0, 300.0)
QUEUES = ("correlate", "ingest", "default")
COUNTS, LAST = "portal:tasks:counts", "portal:tasks:last"

# This process has one task at a time.
_began: dict[str, float] = {}
_errors: dict[str, BaseException] = {}


def begin(task_id: str, task: Task[Any, Any], **_: object) -> None:
    """Start the clock of a task."""
    _began[task_id] = time.monotonic()
    name_work(task=task.name, task_id=task_id)


def note_error(sender: Task[Any, Any], **told: Any) -> None:
    """Keep why a task failed or is tried again, for its line."""
    error = told.get("exception") or told.get("reason")
    if isinstance(error, BaseException):
        _errors[str(told.get("task_id") or sender.request.id)] = error


def end(
    task_id: str,
    task: Task[Any, Any],
    kwargs: Mapping[str, Any],
    state: str | None = None,
    **_: Any,
) -> None:
    """Write a task's line and add it to the counts."""
    seconds = time.monotonic() - _began.pop(task_id, time.monotonic())
    error = _errors.pop(task_id, None)
    outcome = (state or "unknown").lower()
    _add(name=task.name, outcome=outcome, seconds=seconds)
    logger.log(
        _level(name=task.name, outcome=outcome),
        "task.ended",
        extra={"outcome": outcome, "seconds": round(seconds, 3), **_ids(kwargs)},
        exc_info=error,
    )
    name_work()


def counts() -> Iterator[Metric]:
    """Yield what is counted; raise redis.RedisError when the queue's server is away."""
    server = _server()
    yield _seconds(cast("dict[bytes, bytes]", server.hgetall(COUNTS)))
    last_success = GaugeMetricFamily(
        "portal_task_last_success_timestamp_seconds",
        "When a task of this name last ended well.",
        labels=["task"],
    )
    last = cast("dict[bytes, bytes]", server.hgetall(LAST))
    for name, at in sorted(last.items()):
        last_success.add_metric([name.decode()], float(at))
    yield last_success
    queued = GaugeMetricFamily(
        "portal_queue_tasks",
        "Tasks that wait in a queue, and those handed out to workers (queue=taken).",
        labels=["queue"],
    )
    for queue in QUEUES:
        queued.add_metric([queue], server.llen(queue))
    queued.add_metric(["taken"], server.hlen("unacked"))
    yield queued


def _seconds(fields: Mapping[bytes, bytes]) -> Metric:
    found: dict[tuple[str, str], dict[str, float]] = {}
    for field, value in fields.items():
        name, outcome, part = field.decode().split("|")
        found.setdefault((name, outcome), {})[part] = float(value)
    family = HistogramMetricFamily(
        "portal_task_seconds",
        "How long tasks took; of all workers, so the same from every web process.",
        labels=["task", "outcome"],
    )
    for labels, parts in sorted(found.items()):
        per_interval = [parts.get(str(place), 0.0) for place in range(len(BOUNDS) + 1)]
        bounds = [*map(str, BOUNDS), "+Inf"]
        buckets = list(zip(bounds, accumulate(per_interval), strict=True))
        family.add_metric(labels, buckets=buckets, sum_value=parts.get("sum", 0.0))
    return family


def _add(*, name: str, outcome: str, seconds: float) -> None:
    try:
        with _server().pipeline(transaction=False) as pipe:
            pipe.hincrby(COUNTS, f"{name}|{outcome}|{bisect_left(BOUNDS, seconds)}", 1)
            pipe.hincrbyfloat(COUNTS, f"{name}|{outcome}|sum", seconds)
            if outcome == "success":
                pipe.hset(LAST, name, time.time())
            pipe.execute()
    except redis.RedisError:
        logger.debug("tasks.uncounted")


@cache
def _server() -> redis.Redis:
    return redis.Redis.from_url(
        settings.PORTAL_REDIS_URL, socket_timeout=2, socket_connect_timeout=2
    )


def _level(*, name: str, outcome: str) -> int:
    if outcome == "success":
        # Sweeps find nothing to do every few seconds.
        return logging.DEBUG if name in PERIODS else logging.INFO
    return logging.WARNING if outcome == "retry" else logging.ERROR


def _ids(kwargs: Mapping[str, Any]) -> dict[str, int]:
    """Return what the task was about: numbers of rows, nothing else that it was given."""
    return {
        key: each for key, each in kwargs.items() if key.endswith("_id") and isinstance(each, int)
    }
