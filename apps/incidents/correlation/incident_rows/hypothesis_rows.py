"""Hypotheses of an incident with the evidence that each holder has for them."""

from collections.abc import Sequence
from typing import Any

from apps.diagnosis.model import statement_of
from apps.fleet.models import Attempt
from apps.incidents.correlation.conclusion import Conclusion
from apps.incidents.models import (
    EvidenceItem,
    Hypothesis,
    Incident,
    IncidentSession,
)
from apps.wording import in_english


def write_hypotheses(
    *, incident: Incident, sessions: Sequence[IncidentSession], strongest: dict[str, Any]
) -> None:
    """Write anew what may have caused an incident, with what each holder has for it."""
    held: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in sessions:
        for each in row.conclusion["hypotheses"]:
            held.setdefault((each["layer"], each["cause"]), []).extend(each["held"])
    Hypothesis.objects.filter(incident=incident).delete()
    Hypothesis.objects.bulk_create(
        Hypothesis(
            organization_id=incident.organization_id,
            incident=incident,
            position=position,
            **(each | {"held": _sum_held(held[each["layer"], each["cause"]])}),
        )
        for position, each in enumerate(strongest["hypotheses"])
    )


def _sum_held(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    total: dict[tuple[Any, ...], dict[str, Any]] = {}
    for entry in entries:
        key = (
            *(entry[name] for name in ("organization", "side", "layer")),
            entry.get("claimed", False),
        )
        former = total.get(key)
        # Two sessions of one shared fault often rest on the same lines: not a sum, the larger.
        if former is None or entry["count"] > former["count"]:
            total[key] = entry
    return [total[key] for key in sorted(total)]


def write_evidence(*, incident: Incident, attempt: Attempt, conclusion: Conclusion) -> None:
    """Write anew the evidence of one attempt."""
    EvidenceItem.objects.filter(incident=incident, attempt=attempt).delete()
    EvidenceItem.objects.bulk_create(
        EvidenceItem(
            organization_id=piece.organization_id,
            incident=incident,
            attempt=attempt,
            cause=piece.cause,
            side=piece.side,
            position=piece.position,
            weight=piece.weight,
            layer=piece.layer,
            text=in_english(statement_of(piece.statement)),
            statement=piece.statement,
            source=piece.source[:300],
            line=piece.line,
            at=piece.at,
            reference=piece.reference,
            is_claimed=piece.is_claimed,
            fact=piece.fact,
        )
        for piece in conclusion.pieces
    )
