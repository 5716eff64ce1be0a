"""All that kernels say together."""

from collections.abc import Sequence
from datetime import datetime

from apps.diagnosis.model import Event, Observation
from apps.diagnosis.observed import HostOf, Instant
from apps.diagnosis.reasoning.findings.kernel_findings.bus_errors import SuspectedParts, graded
from apps.diagnosis.reasoning.findings.kernel_findings.driver import (
    asked_for,
    named_by_cleanup,
    severities,
)
from apps.diagnosis.reasoning.findings.kernel_findings.gpu_faults import spread
from apps.diagnosis.reasoning.findings.kernel_findings.ports import ports_known


def derive(
    *,
    events: Sequence[Event],
    observations: Sequence[Observation],
    instant: Instant,
    host_of: HostOf,
    failed_at: datetime | None,
    place: SuspectedParts,
) -> list[Observation]:
    """Return what the kernels say together and no line says alone."""
    return [
        *spread(events, instant, host_of),
        *graded(observations, failed_at, place, ports_known(events, host_of)),
        *severities(observations),
        *named_by_cleanup(observations),
        *asked_for(observations),
    ]
