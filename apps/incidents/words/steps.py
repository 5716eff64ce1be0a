"""What people do with an incident, and why, as facts."""

from collections.abc import Mapping

from apps.diagnosis.model import Statement, statement
from apps.incidents.states import ActionState, HandOverState, ResolutionState

REASONS: Mapping[str, Statement] = {
    "your-layer": statement("reason-your-layer"),
    "your-equipment": statement("reason-your-equipment"),
    "needs-your-access": statement("reason-needs-your-access"),
    "needs-your-data": statement("reason-needs-your-data"),
    "not-ours": statement("reason-not-ours"),
    "evidence-missing": statement("reason-evidence-missing"),
    "work-done": statement("reason-work-done"),
    "no-access": statement("reason-no-access"),
    "fixed": statement("reason-fixed"),
    "replaced": statement("reason-replaced"),
    "mitigated": statement("reason-mitigated"),
    "went-away": statement("reason-went-away"),
    "false-alarm": statement("reason-false-alarm"),
    "duplicate": statement("reason-duplicate"),
    "came-back": statement("reason-came-back"),
    "not-fixed": statement("reason-not-fixed"),
    "new-evidence": statement("reason-new-evidence"),
    "not-possible": statement("reason-not-possible"),
    "not-needed": statement("reason-not-needed"),
    "other": statement("reason-other"),
}


def reason_fact(reason: str) -> Statement:
    """Return why; one of a newer version is another reason."""
    return REASONS.get(reason, REASONS["other"])


def hand_over_fact(  # noqa: PLR0911  one sentence for each state
    *, state: HandOverState, who: Statement, to: Statement, reason: str, is_first: bool = False
) -> Statement:
    """Return what a side of a hand-over did; `to` is the other one."""
    match state:
        case HandOverState.PROPOSED if is_first:
            return statement("hand-over-proposed", who=who, to=to, reason=reason_fact(reason))
        case HandOverState.PROPOSED:
            return statement("hand-over-information-given", who=who, to=to)
        case HandOverState.INFORMATION_NEEDED:
            return statement("hand-over-information-needed", who=who, to=to)
        case HandOverState.ACCEPTED:
            return statement("hand-over-accepted", who=who, to=to)
        case HandOverState.DECLINED:
            return statement("hand-over-declined", who=who, to=to, reason=reason_fact(reason))
        case HandOverState.WITHDRAWN:
            return statement("hand-over-withdrawn", who=who, to=to)
        case HandOverState.RETURNED:
            return statement("hand-over-returned", who=who, to=to, reason=reason_fact(reason))


def resolution_fact(*, state: ResolutionState, who: Statement, reason: str) -> Statement:
    """Return that somebody proposed to resolve, resolved or reopened an incident, or answered."""
    match state:
        case ResolutionState.PROPOSED:
            return statement("resolution-proposed", who=who, reason=reason_fact(reason))
        case ResolutionState.DECLINED:
            return statement("resolution-declined", who=who)
        case ResolutionState.WITHDRAWN:
            return statement("resolution-withdrawn", who=who)
        case ResolutionState.RESOLVED:
            return statement("resolution-resolved", who=who, reason=reason_fact(reason))
        case ResolutionState.REOPENED:
            return statement("resolution-reopened", who=who, reason=reason_fact(reason))


def action_fact(*, state: ActionState, who: Statement, what: Statement, reason: str) -> Statement:
    """Return how far somebody is with an action."""
    match state:
        case ActionState.TAKEN:
            return statement("action-taken", who=who, what=what)
        case ActionState.DONE:
            return statement("action-done", who=who, what=what)
        case ActionState.REFUSED:
            return statement("action-refused", who=who, what=what, reason=reason_fact(reason))
        case ActionState.OPEN:
            return statement("action-open", who=who, what=what)


def some_action_fact(*, state: ActionState, who: Statement, reason: str) -> Statement:
    """Return the same without which action: others read other ones."""
    match state:
        case ActionState.TAKEN:
            return statement("some-action-taken", who=who)
        case ActionState.DONE:
            return statement("some-action-done", who=who)
        case ActionState.REFUSED:
            return statement("some-action-refused", who=who, reason=reason_fact(reason))
        case ActionState.OPEN:
            return statement("some-action-open", who=who)
