"""Every periodic task, one line each. Periods in seconds; the task's own limits bound it."""

from typing import Any

SCHEDULE: dict[str, dict[str, Any]] = {}
