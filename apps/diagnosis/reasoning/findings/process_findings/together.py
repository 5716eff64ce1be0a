"""All that processes say together."""

from collections.abc import Sequence

from apps.diagnosis.model import Event, Observation
from apps.diagnosis.observed import HostOf, Instant
from apps.diagnosis.reasoning.findings.process_findings.exceptions import raised
from apps.diagnosis.reasoning.findings.process_findings.exits import left
from apps.diagnosis.reasoning.findings.process_findings.last_words import spoken


def derive(*, events: Sequence[Event], instant: Instant, host_of: HostOf) -> list[Observation]:
    """Return what exceptions and exits say together and no line says alone."""
    return [
        *raised(events, instant, host_of),
        *left(events, instant, host_of),
        *spoken(events, instant),
    ]
