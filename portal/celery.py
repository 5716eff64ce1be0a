"""The Celery app: what holds for every task. Limits and retries stand on each task."""

import os
import signal
from pathlib import Path

from celery import Celery
from celery.signals import (
    beat_init,
    task_failure,
    task_postrun,
    task_prerun,
    task_retry,
    worker_process_init,
    worker_ready,
)
from kombu import Queue
from kombu.transport import redis as transport

from apps.operations.monitoring import task_log
from apps.operations.schedule import SCHEDULE
from apps.operations.servers import queue_access
from apps.operations.servers.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

# The longest hard limit of a task stays below it, or Valkey hands the task out twice.
VISIBILITY_TIMEOUT_SECONDS = 600

# Its own lets go of a lock by a script, which the portal's user of the queue may not run.
transport.Mutex = queue_access.mutex
# What waits in a queue can wait a moment longer than people and senders.
NICE = 5

app = Celery("portal")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    task_acks_late=True,
    # Without it a task whose child was killed is lost for ever, late acknowledgement or not.
    task_reject_on_worker_lost=True,
    task_default_queue="default",
    task_queues=[Queue(name) for name in ("correlate", "ingest", "default")],
    task_create_missing_queues=False,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "visibility_timeout": VISIBILITY_TIMEOUT_SECONDS,
        # Kombu sweeps every interval times throttle seconds: 100 s at its defaults of 10 each.
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 2,
        "queue_order_strategy": "round_robin",
    },
    worker_prefetch_multiplier=1,
    worker_max_memory_per_child=400_000,  # KiB; it is replaced once its task is done
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    # Nobody commands the workers through the queue.
    worker_enable_remote_control=False,
    beat_schedule=SCHEDULE,
    timezone="UTC",
)
app.autodiscover_tasks()

task_prerun.connect(task_log.begin)
task_failure.connect(task_log.note_error)
task_retry.connect(task_log.note_error)
task_postrun.connect(task_log.end)


@worker_process_init.connect
def _die_with_the_worker(**_: object) -> None:
    """Leave no pool child behind when the worker is killed; pages and pushes go first."""
    os.nice(NICE)
    die_with_parent(parent=os.getppid(), how=signal.SIGKILL)


@worker_ready.connect
@beat_init.connect
def _say_ready(**_: object) -> None:
    """Tell the supervisor, where there is one."""
    path = os.environ.get("PORTAL_READY_FILE")
    if path:
        Path(path).touch()
