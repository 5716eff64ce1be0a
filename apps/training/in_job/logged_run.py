"""What lines of a job's log tell of recovering in place."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.training.in_job.events import InJobEvent
from apps.training.in_job.restarts import ProcessRestart


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRun:
    """What lines tell, beside what is sent as events."""

    events: tuple[InJobEvent, ...] = ()
    restarts: tuple[ProcessRestart, ...] = ()
    records: tuple[Mapping[str, Any], ...] = ()  # quorums, as facts of the contract
