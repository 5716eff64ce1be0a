"""A diagnosis as what an incident keeps: a shared header, evidence by holder, moments to tell."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.diagnosis.cited_facts import evidence_fact, fact_json, moment_fact
from apps.diagnosis.model import (
    Anomaly,
    Diagnosis,
    Event,
    Evidence,
    Hypothesis,
    Moment,
    Role,
    Statement,
    Stream,
    statement,
    statement_json,
)
from apps.diagnosis.reasoning.explanation.story import most_important
from apps.incidents.correlation.shared_header import shared_header, shared_missing, shared_reason
from apps.incidents.timeline import TimelineDraft, milliseconds
from apps.wording import headline_in_english
from apps.wording.published import device_json

LANE_OF_STREAM = {
    Stream.SESSION: "application",
    Stream.KERNEL: "host",
    Stream.SCHEDULER: "scheduler",
    Stream.STORAGE: "storage",
    Stream.FABRIC: "network",
    Stream.BMC: "host",
    Stream.ALERTS: "host",
}
APPLICATION_ROLES = frozenset({Role.CASCADE, Role.TEARDOWN, Role.PROGRESS})
MOMENTS_AT_MOST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Holders:
    """Who holds what a diagnosis was made from."""

    owner_id: int  # the session's tenant: holds what was concluded from many of its own lines
    of_source: Mapping[str, int]  # Origin.source or Anomaly.source → organization
    label: Mapping[str, str]  # the same key → words its holder knows the source by
    reference: Callable[[Event | Anomaly], str]
    # Who sent it does not run what it tells of.
    is_claim: Callable[[Event | Anomaly], bool] = lambda _: False

    def is_others(self, evidence: Evidence) -> bool:
        """Say whether a piece is of who runs the thing, beyond the session's own log."""
        fact = evidence.event or evidence.anomaly
        source = _source_of(fact) or evidence.source or ""
        if self.of_source.get(source, self.owner_id) != self.owner_id:
            return True
        is_log = isinstance(fact, Event) and fact.line.origin.stream in {None, Stream.SESSION}
        return fact is not None and not is_log and not self.is_claim(fact)


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
        tellings=tuple(_tellings(diagnosis.timeline, holders, attempt_id)),
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
    source = _source_of(fact) or evidence.source or ""
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


def _source_of(fact: Event | Anomaly | None) -> str | None:
    if isinstance(fact, Event):
        return fact.line.origin.source
    return fact.source if fact else None


def _tellings(
    moments: Sequence[Moment], holders: Holders, attempt_id: int
) -> Iterator[TimelineDraft]:
    order = 0
    told = frozenset(map(id, most_important(moments=moments, most=MOMENTS_AT_MOST)))
    for position, moment in enumerate(one for one in moments if id(one) in told):
        if moment.at is not None:
            order = milliseconds(moment.at)
        fact = moment.event or moment.anomaly
        source = _source_of(fact) or moment.source or ""
        yield TimelineDraft(
            organization_id=holders.of_source.get(source, holders.owner_id),
            identity=(
                moment.signature or _name(moment.statement),
                source,
                moment.host,
                moment.line,
                position if fact is None else _measured(fact),
            ),
            lane=_lane(moment),
            kind="anomaly" if moment.anomaly else "event",
            role=str(moment.role),
            statement=_told(moment),
            at=moment.at,
            ends_at=moment.ends_at,
            clock_error_seconds=moment.clock_error.total_seconds() if moment.clock_error else None,
            order_key=order,
            attempt_id=attempt_id,
            detail={
                "host": moment.host,
                "count": moment.count,
                "ranks": list(moment.ranks),
                "source": holders.label.get(source, ""),
                "line": moment.line,
                "signature": moment.signature,
                "layer": str(moment.layer) if moment.layer else None,
                "reference": holders.reference(fact) if fact else "",
                **_cited(moment),
                # Named only where it is so: what is told already keeps its words.
                **({"claimed": True} if fact and holders.is_claim(fact) else {}),
            },
        )


def _cited(moment: Moment) -> dict[str, Any]:
    """Return what the line or measurement of a moment says beside what is told of any moment."""
    told = fact_json(fact=moment_fact(moment=moment))
    return {name: told[name] for name in ("code", "device", "fields")}


def _told(moment: Moment) -> Statement:
    """Return what happened; of an alert with its name, which is read by its owner alone."""
    name = moment.event.fields.get("alert") if moment.event else None
    return statement("alert-named", what=moment.statement, name=name) if name else moment.statement


def _name(told: Statement) -> str:
    """Return by what a moment without a line is known, whatever words it is told in later."""
    values = told.named
    what = values.get("what")
    if told.kind == "on-hosts" and isinstance(what, Statement):
        return f"{_name(what)} on {values['count']} hosts"
    if told.kind == "measured" and "signal" in values:
        detector = str(values["detector"]).replace("-", " ").capitalize()
        return f"{detector} of {values['signal']}"
    return headline_in_english(told)


def _measured(fact: Event | Anomaly) -> tuple[str, ...] | None:
    """Tell apart what several signals of one source showed on the parts of one host."""
    if isinstance(fact, Event):
        return None
    return (fact.signal, repr(fact.entity), fact.starts_at.isoformat())


def _lane(moment: Moment) -> str:
    if moment.stream is Stream.SESSION and moment.role in APPLICATION_ROLES:
        return "application"
    if moment.stream is Stream.SCHEDULER:
        return "scheduler"
    if moment.layer is not None and moment.layer not in {"unknown", "straggler", "software"}:
        return str(moment.layer)
    return LANE_OF_STREAM.get(moment.stream, "application") if moment.stream else "application"
