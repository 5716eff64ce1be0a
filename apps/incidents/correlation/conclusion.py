"""A diagnosis as what an incident keeps: a shared header, evidence by holder, moments to tell."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.diagnosis.cited_facts import evidence_fact, fact_json
from apps.diagnosis.model import (
    Diagnosis,
    Evidence,
    Hypothesis,
    statement_json,
)
from apps.incidents.correlation.evidence_holders import Holders, source_of
from apps.incidents.correlation.shared_header import shared_header, shared_missing, shared_reason
from apps.incidents.correlation.timeline_drafts import tellings
from apps.incidents.timeline import TimelineDraft
from apps.wording.published import device_json


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedEvidence:
    """A weighed piece of evidence with its holder."""

    organization_id: int
    cause: str  # "<layer>/<cause>" of the hypothesis it speaks to
    side: str
    position: int
    weight: float
    layer: str
    statement: dict[str, Any]  # what it tells
    source: str
    line: int | None
    at: datetime | None
    reference: str
    is_claimed: bool = False
    fact: dict[str, Any] | None = None  # codes, device, host, ranks and fields of what it rests on


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What one attempt's diagnosis adds to an incident. `header` and `hypotheses` are JSON."""

    header: dict[str, Any]
    hypotheses: list[dict[str, Any]]
    pieces: tuple[WeighedEvidence, ...]
    tellings: tuple[TimelineDraft, ...]
    started_at: datetime | None


def conclusion_of(*, diagnosis: Diagnosis, holders: Holders, attempt_id: int) -> Conclusion:
    """Return what the incident of this attempt keeps."""
    pieces = tuple(_pieces(diagnosis.hypotheses, holders))
    return Conclusion(
        header=shared_header(diagnosis=diagnosis),
        hypotheses=[_hypothesis(each, pieces) for each in diagnosis.hypotheses],
        pieces=pieces,
        tellings=tuple(tellings(diagnosis.timeline, holders, attempt_id)),
        started_at=diagnosis.failed_at,
    )


def _hypothesis(hypothesis: Hypothesis, pieces: Sequence[WeighedEvidence]) -> dict[str, Any]:
    key = f"{hypothesis.layer}/{hypothesis.cause}"
    return {
        "layer": str(hypothesis.layer),
        "cause": hypothesis.cause,
        "probability": round(hypothesis.probability, 4),
        "cause_probability": round(hypothesis.cause_probability, 4),
        "culprits": [device_json(each) for each in hypothesis.culprits],
        "missing": [shared_missing(missing=each) for each in hypothesis.missing],
        "ruled_out": shared_reason(reason=hypothesis.ruled_out_because),
        "held": _held([piece for piece in pieces if piece.cause == key]),
    }


def _held(pieces: Sequence[WeighedEvidence]) -> list[dict[str, Any]]:
    counts: Counter[tuple[int, str, str, bool]] = Counter()
    weights: defaultdict[tuple[int, str, str, bool], float] = defaultdict(float)
    for piece in pieces:
        key = (piece.organization_id, piece.side, piece.layer, piece.is_claimed)
        counts[key] += 1
        weights[key] += piece.weight
    return [
        {
            "organization": key[0],
            "side": key[1],
            "layer": key[2],
            "count": counts[key],
            "weight": round(weights[key], 2),
            "claimed": key[3],
        }
        for key in sorted(counts)
    ]


def _pieces(hypotheses: Sequence[Hypothesis], holders: Holders) -> Iterator[WeighedEvidence]:
    for hypothesis in hypotheses:
        key = f"{hypothesis.layer}/{hypothesis.cause}"
        for side, pieces in (("for", hypothesis.supporting), ("against", hypothesis.opposing)):
            for position, evidence in enumerate(pieces):
                yield _piece(evidence, holders, cause=key, side=side, position=position)


def _piece(
    evidence: Evidence, holders: Holders, *, cause: str, side: str, position: int
) -> WeighedEvidence:
    fact = evidence.event or evidence.anomaly
    source = source_of(fact) or evidence.source or ""
    return WeighedEvidence(
        organization_id=holders.of_source.get(source, holders.owner_id),
        cause=cause,
        side=side,
        position=position,
        weight=round(evidence.weight, 2),
        layer=str(evidence.layer or ""),
        statement=statement_json(evidence.statement),
        source=holders.label.get(source, ""),
        line=evidence.line,
        at=evidence.at,
        reference=holders.reference(fact) if fact else "",
        is_claimed=holders.is_claim(fact) if fact else False,
        fact=fact_json(fact=evidence_fact(evidence=evidence)) if fact else None,
    )
