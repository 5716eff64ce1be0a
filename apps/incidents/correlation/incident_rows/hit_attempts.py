"""The attempts that an incident hit: what was concluded for each, and since when it is one."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from apps.fleet.models import Attempt
from apps.incidents.correlation.conclusion import Conclusion
from apps.incidents.models import EvidenceItem, Incident, IncidentSession
from apps.incidents.projection.reader_scope import AttemptImpact, hit_of

SETTLES_AFTER = timedelta(minutes=5, seconds=30)


def times_json(*, hit: AttemptImpact) -> dict[str, Any]:
    """Return what a conclusion keeps of the times of its attempt."""
    names = ("detected_at", "started_at", "settled_at", "newest_evidence_at")
    found = {name: getattr(hit, name) for name in names}
    return {name: at.isoformat() if at else None for name, at in found.items()} | {
        "revisions": hit.revisions
    }


def attach(
    *,
    incident: Incident,
    attempt: Attempt,
    conclusion: Conclusion,
    newest_evidence_at: datetime | None = None,
    now: datetime | None = None,
) -> AttemptImpact:
    """Keep what was concluded for one attempt as part of the incident, and since when it is."""
    hit = _hit(incident, attempt, now or incident.detected_at)
    hit = replace(hit, started_at=conclusion.started_at, newest_evidence_at=newest_evidence_at)
    stored = {
        "header": conclusion.header,
        "hypotheses": conclusion.hypotheses,
        **times_json(hit=hit),
    }
    IncidentSession.objects.update_or_create(
        organization_id=attempt.organization_id,
        incident=incident,
        attempt=attempt,
        defaults={"conclusion": stored, "session_id": attempt.session_id},
    )
    return hit


def _hit(incident: Incident, attempt: Attempt, now: datetime) -> AttemptImpact:
    former = IncidentSession.objects.filter(incident=incident, attempt=attempt).first()
    if former is None:
        return AttemptImpact(detected_at=now)
    hit = hit_of(conclusion=former.conclusion, detected_at=incident.detected_at)
    is_settled = hit.settled_at is not None or now - hit.detected_at < SETTLES_AFTER
    return hit if is_settled else replace(hit, settled_at=now)


def detach(*, incident: Incident, attempt: Attempt) -> None:
    """Take an attempt out of an incident, its evidence with it."""
    IncidentSession.objects.filter(incident=incident, attempt=attempt).delete()
    EvidenceItem.objects.filter(incident=incident, attempt=attempt).delete()


def count_revisions(*, row: IncidentSession, incident: Incident) -> None:
    """Note which revision was in force when an attempt came in, once."""
    if row.conclusion.get("revisions") is None:
        row.conclusion["revisions"] = incident.revision - 1
        row.save(update_fields=["conclusion"])


def moments_of(*, incident: Incident, sessions: Sequence[IncidentSession]) -> dict[int, datetime]:
    """Return when each tenant's session broke, of several the first."""
    found: dict[int, datetime] = {}
    for row in sessions:
        hit = hit_of(conclusion=row.conclusion, detected_at=incident.detected_at)
        at = hit.started_at or hit.detected_at
        found[row.organization_id] = min(found.get(row.organization_id, at), at)
    return found
