"""A row of an incident made of its facts, for the modules that ask and append beside it."""

from apps.incidents.models import Incident, IncidentSnapshot
from apps.incidents.projection.header_values import IncidentFacts

SAME = (
    *("public_id", "attempt_id", "kind", "status", "is_further", "withdrawal", "revision"),
    *("is_simulated", "verdict_status", "layer", "cause", "probability", "cause_probability"),
    *("phase", "end_state", "started_at", "detected_at", "newest_evidence_at", "settled_at"),
    "resolved_at",
)


def row_of(facts: IncidentFacts) -> Incident:
    """Return the incident as a row without what only some readers see. Nobody saves it."""
    row = Incident(
        id=facts.id,
        organization_id=facts.owner_id,
        cluster_id=facts.cluster_id,
        parties=[
            {
                "organization": each.organization_id,
                "parts": list(each.parts),
                "answers": each.answers,
            }
            for each in facts.known
        ],
        **{name: getattr(facts, name) for name in SAME},
    )
    row.unfaced_revisions = facts.unfaced_revisions
    if facts.left_at is not None:
        row.snapshot = IncidentSnapshot(incident_id=facts.id, taken_at=facts.left_at)
    return row
