"""What events say together, by all steps that look at many."""

from collections.abc import Sequence
from datetime import datetime

from apps.diagnosis.model import Event, Observation
from apps.diagnosis.observed import HostOf, Instant
from apps.diagnosis.reasoning.findings import (
    collective_findings,
    ending_findings,
    host_findings,
    kernel_findings,
    port_findings,
    process_findings,
    wait_findings,
)


def derived_from(
    *,
    events: Sequence[Event],
    observations: Sequence[Observation],
    instant: Instant,
    host_of: HostOf,
    failed_at: datetime | None,
    place: kernel_findings.SuspectedParts,
) -> list[Observation]:
    """Return what the events say together and no line says alone."""
    found = [
        *wait_findings.derive(events=events, instant=instant),
        *collective_findings.derive(events=events),
        *ending_findings.derive(events=events, instant=instant),
        *process_findings.derive(events=events, instant=instant, host_of=host_of),
        *kernel_findings.derive(
            events=events,
            observations=observations,
            instant=instant,
            host_of=host_of,
            failed_at=failed_at,
            place=place,
        ),
        *port_findings.derive(observations=observations, failed_at=failed_at),
        *host_findings.derive(events=events, instant=instant, host_of=host_of, failed_at=failed_at),
    ]
    return sorted(found, key=lambda one: (one.sign, one.host or "", one.ranks))
