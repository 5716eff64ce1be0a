"""Celery doors: of what came in, of metrics servers, of what goes when its time is over."""

from apps.telemetry.tasks.checkpoints import work_out_checkpoints, work_out_checkpoints_of
from apps.telemetry.tasks.intake import (
    carry_out,
    drain_organization,
    drain_pushed,
    enter_refusals,
    sweep,
)
from apps.telemetry.tasks.metrics import (
    capture_evidence,
    forward_due,
    forward_pushed,
    fuse_source,
    pull_due,
    pull_source,
)
from apps.telemetry.tasks.retention import (
    measure,
    measure_organization,
    retire,
    retire_organization,
    roll_window,
    roll_windows,
)

__all__ = [
    "capture_evidence",
    "carry_out",
    "drain_organization",
    "drain_pushed",
    "enter_refusals",
    "forward_due",
    "forward_pushed",
    "fuse_source",
    "measure",
    "measure_organization",
    "pull_due",
    "pull_source",
    "retire",
    "retire_organization",
    "roll_window",
    "roll_windows",
    "sweep",
    "work_out_checkpoints",
    "work_out_checkpoints_of",
]
