"""What a diagnosis tells, moment by moment, and who may read it."""

from collections.abc import Iterator, Sequence
from typing import Any

from apps.diagnosis.cited_facts import fact_json, moment_fact
from apps.diagnosis.model import (
    Anomaly,
    Event,
    Moment,
    Role,
    Statement,
    Stream,
    statement,
)
from apps.diagnosis.reasoning.explanation.story.timeline import most_important
from apps.incidents.correlation.evidence_holders import Holders, source_of
from apps.incidents.timeline import TimelineDraft, milliseconds
from apps.wording import headline_in_english

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


def tellings(
    moments: Sequence[Moment], holders: Holders, attempt_id: int
) -> Iterator[TimelineDraft]:
    """Yield the moments worth telling, each with its holder."""
    order = 0
    told = frozenset(map(id, most_important(moments=moments, most=MOMENTS_AT_MOST)))
    for position, moment in enumerate(one for one in moments if id(one) in told):
        if moment.at is not None:
            order = milliseconds(moment.at)
        fact = moment.event or moment.anomaly
        source = source_of(fact) or moment.source or ""
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
