"""The Celery app: what holds for every task. Limits and retries stand on each task."""

import os

from celery import Celery
from kombu import Queue

from portal.schedule import SCHEDULE

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

# The longest hard limit of a task stays below it, or Valkey hands the task out twice.
VISIBILITY_TIMEOUT_SECONDS = 600

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
        # Kombu sweeps every interval × throttle seconds: 100 s at its defaults of 10 each.
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
        "socket_connect_timeout": 2,
        "queue_order_strategy": "round_robin",
    },
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    beat_schedule=SCHEDULE,
    timezone="UTC",
)
app.autodiscover_tasks()
