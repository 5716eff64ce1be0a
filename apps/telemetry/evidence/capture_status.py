"""How the captures of an incident's metrics stand: a matter of coverage, told with the charts."""

from dataclasses import dataclass
from datetime import datetime

from apps.telemetry.evidence.capture import MAX_ATTEMPTS
from apps.telemetry.models import EvidenceCapture


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureStatus:
    """One capture: the first look at once, the second when the incident is over."""

    source: str
    capture_pass: int
    state: str  # due captured failed given-up removed
    due_at: datetime
    error: str = ""  # why it failed, or what had to be left out
    attempt_count: int = 0
    byte_count: int = 0
    seconds: float = 0.0


def standings(
    *, organization_id: int, incident_owner: int, incident_public_id: str
) -> list[CaptureStatus]:
    """Return how an organization's captures around an incident stand. Needs its scope."""
    rows = EvidenceCapture.objects.for_organization(organization_id).filter(
        incident_owner=incident_owner, incident_public_id=incident_public_id
    )
    return [
        CaptureStatus(
            source=row.source.name if row.source else row.source_name,
            capture_pass=row.capture_pass,
            state=_state(row),
            due_at=row.due_at,
            error=row.error,
            attempt_count=row.attempt_count,
            byte_count=row.byte_count,
            seconds=row.seconds,
        )
        for row in rows.select_related("source").order_by("source_name", "capture_pass", "id")
    ]


def _state(row: EvidenceCapture) -> str:
    if row.state == "captured":
        return "captured"
    if row.source is None or not row.source.is_enabled:
        return "removed"
    # While one is carried out its row is due again when the lease ends.
    return "given-up" if row.attempt_count >= MAX_ATTEMPTS and row.state == "failed" else row.state
