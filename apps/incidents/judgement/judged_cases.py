"""Judged incidents as cases to learn from: numbers, slugs and parts in a cluster; nobody's text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from apps.incidents.coordination.rows import readable_opinions
from apps.incidents.judgement.judged_incidents import judged_of, of_last_answer, standing
from apps.incidents.models import Feedback, Incident
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

SCHEMA = "faultline.feedback/1"


def cases_of(*, organization: Organization) -> list[dict[str, Any]]:
    """Return the judged incidents as far as one organization may know of them."""
    with organization_scope(organization.pk):
        return _cases(_loaded(readable_opinions(organization=organization)))


def all_cases(*, organizations: Iterable[Organization]) -> list[dict[str, Any]]:
    """Return the judged incidents of these organizations, each incident once.

    For who runs the portal: each organization is read in a scope of its own.
    """
    rows: list[Feedback] = []
    for organization in organizations:
        with organization_scope(organization.pk):
            rows += _loaded(Feedback.objects.for_organization(organization))
    return _cases(rows)


def _loaded(rows: Any) -> list[Feedback]:
    return list(rows.select_related("incident").order_by("version", "id"))


def _cases(rows: Sequence[Feedback]) -> list[dict[str, Any]]:
    found = [_case(each) for each in standing(rows=rows).values() if each]
    return sorted(found, key=lambda case: (case["judged_at"], case["incident"]))


def _case(opinions: Sequence[Feedback]) -> dict[str, Any]:
    same = of_last_answer(opinions=opinions)
    judged = judged_of(opinions=same)
    assert judged is not None  # noqa: S101  there is one at least
    last, incident = same[-1], same[-1].incident
    return {
        "schema": SCHEMA,
        "incident": incident.public_id,
        "kind": incident.kind,
        "simulated": incident.is_simulated,
        "judged_at": last.created_at.isoformat(),
        "edition": last.edition,
        "verdict": {
            "revision": last.revision,
            "status": last.verdict_status,
            "layer": last.layer,
            "cause": last.cause,
            "probability": last.probability,
            "cause_probability": last.cause_probability,
        },
        "opinions": [_opinion(row, _parts(incident)) for row in same],
        "layer_right": judged.is_layer_right,
        "cause_right": judged.is_cause_right,
    }


def _opinion(row: Feedback, parts: Mapping[int, list[str]]) -> dict[str, Any]:
    return {
        "parts": parts.get(row.organization_id, []),
        "judgement": row.judgement,
        "layer": row.actual_layer,
        "cause": row.actual_cause,
    }


def _parts(incident: Incident) -> dict[int, list[str]]:
    return {party["organization"]: sorted(party["parts"]) for party in incident.parties}
