"""Beside step 10: what to do if it was the cause that is as likely as the first."""

from collections.abc import Mapping, Sequence

from apps.diagnosis.causes.load import Cause
from apps.diagnosis.model import Action, Hypothesis, Verdict, VerdictStatus
from apps.diagnosis.odds import HAIR

NAMED = frozenset({VerdictStatus.LIKELY, VerdictStatus.POSSIBLE})


def actions(
    *, verdict: Verdict, hypotheses: Sequence[Hypothesis], causes: Mapping[str, Cause]
) -> tuple[Action, ...]:
    """Return the first action of the rival, none where one cause is ahead."""
    if verdict.status not in NAMED or len(hypotheses) < 2:
        return ()
    first, second = hypotheses[:2]
    is_behind = first.cause_probability - second.cause_probability > HAIR
    if is_behind or second.ruled_out_because or second.cause not in causes:
        return ()
    cause = causes[second.cause]
    hosts = tuple(sorted({one.host for one in second.culprits if one.host}))
    owner = cause.owners[0] if cause.owners else "tenant"
    return (Action(statement=cause.usual_action, owner=owner, hosts=hosts, rival=second.cause),)
