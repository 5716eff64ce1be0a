"""Where a request for evidence stands, by what both sides wrote down. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.incidents.states import GRANTS, RequestActKind
from apps.sharing.terms import Level


class RequestState(StrEnum):
    """What became of a request."""

    WAITING = "waiting"
    GRANTED = "granted"
    NARROWED = "narrowed"
    DECLINED = "declined"
    TAKEN_BACK = "taken_back"
    REVOKED = "revoked"
    ANSWERED = "answered"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestAct:
    """What a side did with a request; of a grant, what it shows."""

    organization_id: int
    kind: RequestActKind
    by: str
    at: datetime
    reason: str
    level: Level | None
    starts_at: datetime | None
    ends_at: datetime | None
    until: datetime | None


# In which order of weight: what ends it stands before what it ended.
ENDS = (
    *(RequestActKind.REVOKED, RequestActKind.TAKEN_BACK, RequestActKind.DECLINED),
    RequestActKind.ANSWERED,
)


def grant_of(acts: Sequence[RequestAct]) -> RequestAct | None:
    """Return what was granted, also when it is over."""
    return next((each for each in acts if each.kind in GRANTS), None)


def state_of(*, acts: Sequence[RequestAct], until: datetime, now: datetime) -> RequestState:
    """Return where a request stands that ends by itself at `until`, unless a grant ends sooner."""
    kinds = {each.kind for each in acts}
    for kind in ENDS:
        if kind in kinds:
            return RequestState(kind)
    granted = grant_of(acts)
    if granted is not None:
        is_over = (granted.until or until) <= now
        return RequestState.EXPIRED if is_over else RequestState(granted.kind)
    return RequestState.EXPIRED if until <= now else RequestState.WAITING
