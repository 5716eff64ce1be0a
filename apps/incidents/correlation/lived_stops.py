"""What was taken for a stop, and turns out to have been lived through."""

from collections.abc import Sequence

from apps.fleet.models import Attempt
from apps.incidents.correlation.diagnosis_parts import DiagnosisShare
from apps.incidents.correlation.incident_identity import find
from apps.incidents.correlation.incident_rows.incident_writer import become
from apps.incidents.models import Incident
from apps.incidents.states import IncidentKind


def turn_over(
    *, former: Sequence[Incident], attempt: Attempt, parts: Sequence[DiagnosisShare]
) -> None:
    """Let the stop of an attempt that went on be the first loss that it lived through.

    It keeps its id, and what people said and did there.
    """
    stop = next((each for each in former if each.kind == IncidentKind.STOP), None)
    if stop is None or any(part.place.kind == IncidentKind.STOP for part in parts):
        return
    for part in parts:
        is_lived = part.place.kind == IncidentKind.DEGRADED
        if is_lived and find(place=part.place, attempt=attempt, conclusion=part.conclusion) is None:
            become(incident=stop, place=part.place)
            return
