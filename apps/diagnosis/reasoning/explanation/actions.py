"""Part of step 10: who does what next."""

from collections.abc import Mapping, Sequence

from apps.diagnosis.causes.load import Cause
from apps.diagnosis.model import (
    Action,
    Hypothesis,
    Missing,
    Observation,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.diagnosis.observed import LOST_EACH_OTHER


def actions(
    *,
    verdict: Verdict,
    hypotheses: Sequence[Hypothesis],
    causes: Mapping[str, Cause],
    missing: Sequence[Missing],
    observations: Sequence[Observation] = (),
) -> tuple[Action, ...]:
    """Return who does what next: the cause's first action, or asking for what is missing."""
    if verdict.status is VerdictStatus.NO_FAILURE:
        return ()
    if verdict.status is VerdictStatus.UNKNOWN:
        return tuple(_asking(one) for one in missing)
    cause = causes[verdict.cause]
    tied = [one for one in hypotheses[0].supporting if one.family == LOST_EACH_OTHER]
    named = verdict.culprits or tied
    hosts = tuple(sorted({one.host for one in named if one.host}))
    owner = cause.owners[0] if cause.owners else "tenant"
    wanted = hypotheses[0].missing[:1] if verdict.status is VerdictStatus.POSSIBLE else ()
    here = [one for one in observations if one.standing == "joined" and one.host in {None, *hosts}]
    lines = [one.event for one in hypotheses[0].supporting if one.event]
    told = [*((e.signature, e.fields) for e in lines), *((one.sign, one.fields) for one in here)]
    first = Action(statement=cause.action_by(told=told), owner=owner, hosts=hosts)
    return (first, *(_asking(one) for one in wanted))


def _asking(missing: Missing) -> Action:
    told = statement("provide", source=missing.source, would=missing.would)
    return Action(statement=told, owner=missing.held_by, hosts=missing.hosts)
