"""What an organization itself kept of metrics around an incident. Needs the actor's scope."""

from collections.abc import Sequence

from apps.telemetry.evidence import capture_status, captured_series
from apps.telemetry.evidence.capture_status import CaptureStatus
from apps.telemetry.evidence.captured_series import CapturedSeries
from apps.tenancy.access import Actor, Right


def kept_charts(
    *, actor: Actor, incident_owner: int, incident_public_id: str
) -> Sequence[CapturedSeries]:
    """Return its kept series beside the bands of their peers, the newest pass first."""
    actor.require(Right.READ)
    return captured_series.charts(
        organization_id=actor.organization.pk,
        incident_owner=incident_owner,
        incident_public_id=incident_public_id,
    )


def captures_of(
    *, actor: Actor, incident_owner: int, incident_public_id: str
) -> Sequence[CaptureStatus]:
    """Return how its captures stand: those that are awaited, those that failed, those kept."""
    actor.require(Right.READ)
    return capture_status.standings(
        organization_id=actor.organization.pk,
        incident_owner=incident_owner,
        incident_public_id=incident_public_id,
    )
