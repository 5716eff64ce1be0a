"""Which loggers of the processes write what: what is ours, and what of others is worth a line."""

import logging
from http import HTTPStatus
from typing import Any


class Faults(logging.Filter):
    """Lets pass what is a fault of ours: that a format is not installed here is an answer."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether to write it."""
        return getattr(record, "status_code", 0) != HTTPStatus.NOT_IMPLEMENTED


def logging_of(*, level: str) -> dict[str, Any]:
    """Return Django's setting: everything goes to stderr as JSON."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "apps.operations.process_log.log_lines.JsonLines"}},
        "filters": {"faults": {"()": "apps.operations.process_log.loggers.Faults"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level.upper()},
        "loggers": {
            # Its own lines are no JSON, and an access log would carry query strings.
            "uvicorn": {"handlers": ["stderr"], "propagate": False},
            "uvicorn.access": {"level": "WARNING"},
            # One line per answer and task is ours (access_log, task_log), without what was sent.
            "django.request": {"level": "ERROR", "filters": ["faults"]},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
            "celery.app.trace": {"level": "CRITICAL"},
            # At DEBUG they would say statements with their values, and messages with theirs.
            "django.db.backends": {"level": "WARNING"},
            "celery": {"level": "INFO"},
            "kombu": {"level": "INFO"},
            "redis": {"level": "INFO"},
            "urllib3": {"level": "INFO"},
            # What failed is told by us, now and then, not once for each time.
            "axes": {"level": "ERROR"},
            "fido2": {"level": "WARNING"},  # else the id of each passkey that is added or used
            # That it asks again is no news; that asking failed is told by who asked.
            "urllib3.connectionpool": {"level": "ERROR"},
        },
    }
