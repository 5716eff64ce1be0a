"""Incidents whose verdict changes, as those who are told of it meet them."""

from datetime import datetime, timedelta
from typing import Any

from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import rewrite
from apps.incidents.models import Incident
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, conclusion

NOW = make.AT + timedelta(minutes=1)
UNKNOWN: dict[str, Any] = {
    "verdict_status": "unknown", "layer": "unknown", "cause": "unknown", "probability": 0.0,
    "culprits": [], "actions": [],
}  # fmt: skip


def revise(cast: Cast, incident: Incident, at: datetime = NOW, **header: Any) -> None:
    """Change what is believed of a stop."""
    with organization_scope(*cast.ids):
        incident.refresh_from_db()
        attempt = incident.attempt
        assert attempt is not None
        said = conclusion(cast, **header)
        attach(incident=incident, attempt=attempt, conclusion=said)
        rewrite(
            incident=incident, attempt=attempt, conclusion=said, newest_evidence_at=None, now=at
        )
