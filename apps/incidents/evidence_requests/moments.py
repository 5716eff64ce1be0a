"""What the timeline says of a request, for the two that it is between."""

from apps.diagnosis.model import Statement, statement
from apps.incidents.states import RequestActKind


def asked_fact(*, who: Statement, to: Statement, data: str) -> Statement:
    """Return that one party asked another for a class of data."""
    return statement("evidence-asked", who=who, to=to, data=data)


def act_fact(kind: RequestActKind, *, who: Statement, to: Statement, data: str) -> Statement:
    """Return what a party did with a request."""
    facts = {
        RequestActKind.GRANTED: statement("evidence-granted", who=who, to=to, data=data),
        RequestActKind.NARROWED: statement("evidence-narrowed", who=who, to=to, data=data),
        RequestActKind.ANSWERED: statement("evidence-stated", who=who, to=to, data=data),
        RequestActKind.DECLINED: statement("evidence-declined", who=who, to=to, data=data),
        RequestActKind.REVOKED: statement("evidence-revoked", who=who, to=to, data=data),
        RequestActKind.TAKEN_BACK: statement("evidence-taken-back", who=who, to=to, data=data),
    }
    return facts[kind]
