"""The document that a holder signs: who states what to whom, on which request, by which rules."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from apps.diagnosis.model import statement_json
from apps.incidents.evidence_requests.answers.values import CheckFinding, CheckSubject
from apps.incidents.models import EvidenceRequest
from apps.tenancy.models import Organization
from apps.wording import headline_in_english


def document_of(
    *,
    public_id: str,
    request: EvidenceRequest,
    subject: CheckSubject,
    findings: Sequence[CheckFinding],
    key: str,
) -> Mapping[str, Any]:
    """Return what is signed. All of it but the rules is in the request, or found just now."""
    return {
        "id": public_id,
        "request": request.public_id,
        "incident": request.incident.public_id,
        "cluster": request.incident.cluster.slug if request.incident.cluster else "",
        "holder": _party(request.counterpart),
        "asker": _party(request.organization),
        "data": request.data,
        "asked_at": _time(request.at),
        "window": {"from": _time(subject.starts_at), "to": _time(subject.ends_at)},
        "hosts": list(subject.hosts),
        "findings": [_finding(each) for each in findings],
        "simulated": request.incident.is_simulated,
        "at": _time(subject.now),
        "key": key,
    }


def _finding(found: CheckFinding) -> dict[str, Any]:
    return {
        "rule": found.check.name,
        "definition": found.check.definition,
        "outcome": str(found.outcome),
        "count": found.count,
        "first_at": _time(found.first_at) if found.first_at else None,
        "coverage": {
            "is_whole": not found.gaps,
            "part": {
                "hosts": list(found.part.hosts),
                "from": _time(found.part.starts_at),
                "to": _time(found.part.ends_at),
            }
            if found.part
            else None,
            "looked_at": found.looked_at,
            "gaps": [{"host": gap.host, "why": statement_json(gap.why)} for gap in found.gaps],
        },
        "statement": statement_json(found.told),
        "text": headline_in_english(found.told),
    }


def _party(organization: Organization) -> dict[str, str]:
    return {"slug": organization.slug, "name": organization.name}


def _time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
