"""What the portal itself says on the timeline of an incident, to its parties."""

from datetime import datetime

from apps.diagnosis.model import Statement, statement
from apps.incidents.models import Incident
from apps.incidents.timeline import TimelineDraft, milliseconds


def verdict_telling(*, incident: Incident, now: datetime) -> TimelineDraft:
    told = (
        statement("verdict-open", number=incident.revision)
        if incident.verdict_status == "unknown"
        else statement(
            "verdict",
            number=incident.revision,
            layer=incident.layer,
            layer_odds=incident.probability,
            cause=incident.cause,
            odds=incident.cause_probability,
        )
    )
    about = {"layer": incident.layer, "status": incident.verdict_status}
    return portal_telling(incident=incident, told=told, kind="verdict", now=now, **about)


def portal_telling(
    *, incident: Incident, told: Statement, kind: str, now: datetime, **detail: str
) -> TimelineDraft:
    """Return what the portal tells every party of the incident as it stands."""
    return TimelineDraft(
        organization_id=incident.organization_id,
        identity=(kind, incident.revision),
        lane="portal",
        kind=kind,
        statement=told,
        at=now,
        order_key=milliseconds(now),
        for_all_parties=True,
        detail=detail,
    )
