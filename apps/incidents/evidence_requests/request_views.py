"""Requests for evidence as the two sides read them: frozen values, without a row behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.incidents.evidence_requests.acts import may_answer
from apps.incidents.evidence_requests.answers.answer_views import AttestedAnswer, answers_to
from apps.incidents.evidence_requests.requests import acts_of
from apps.incidents.evidence_requests.states import (
    RequestAct,
    RequestState,
    grant_of,
    state_of,
)
from apps.incidents.models import EvidenceRequest
from apps.incidents.states import RequestActKind
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.terms import Level
from apps.tenancy.access import Actor, Right
from apps.tenancy.values import OrganizationName, name_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestGrant:
    """What the holder shows: how much, of when, and until when."""

    level: Level
    starts_at: datetime
    ends_at: datetime
    until: datetime
    by: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEnd:
    """Who ended a request or said no to it, and why."""

    organization: OrganizationName
    by: str
    at: datetime
    reason: str  # empty: none was given


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRequestView:
    """What one party of an incident asks another for, and what came of it."""

    id: int
    public_id: str
    incident: str  # its public id
    asker: OrganizationName
    holder: OrganizationName
    is_asker: bool  # the reader's organization asks
    state: RequestState
    data: str
    level: Level
    host: str
    starts_at: datetime
    ends_at: datetime
    until: datetime
    reason: str
    by: str
    at: datetime
    grant: RequestGrant | None
    end: RequestEnd | None
    answer: AttestedAnswer | None  # a signed statement in place of the data
    may_answer: bool  # grant it, or less of it
    may_decline: bool
    may_take_back: bool
    may_revoke: bool

    @property
    def other(self) -> OrganizationName:
        """Return the side that the reader is not."""
        return self.holder if self.is_asker else self.asker

    @property
    def waits_for_reader(self) -> bool:
        """Say whether the reader's organization is the one to answer."""
        return not self.is_asker and self.state is RequestState.WAITING


def views_of(
    *,
    actor: Actor,
    rows: Sequence[EvidenceRequest],
    now: datetime,
    channel: LedgerChannel | None = None,
) -> tuple[EvidenceRequestView, ...]:
    """Return requests as the actor's organization reads them. Needs its scope.

    Without a channel what others stated is left out. Raises LedgerUnavailable.
    """
    acts = acts_of(requests=rows)
    answered = [
        row
        for row in rows
        if any(act.kind == RequestActKind.ANSWERED for act in acts.get(row.pk, ()))
    ]
    answers = answers_to(actor=actor, requests=answered, channel=channel, now=now)
    return tuple(_view(actor, row, acts.get(row.pk, ()), answers.get(row.pk), now) for row in rows)


def _view(
    actor: Actor,
    row: EvidenceRequest,
    acts: Sequence[RequestAct],
    answer: AttestedAnswer | None,
    now: datetime,
) -> EvidenceRequestView:
    own = actor.organization.pk
    state = state_of(acts=acts, until=row.until, now=now)
    is_asker = row.organization_id == own
    is_waiting, acts_here = state is RequestState.WAITING, Right.ACT in actor.rights
    is_granted = state in {RequestState.GRANTED, RequestState.NARROWED}
    granted = grant_of(acts)
    return EvidenceRequestView(
        id=row.pk,
        public_id=row.public_id,
        incident=row.incident.public_id,
        asker=name_of(row.organization),
        holder=name_of(row.counterpart),
        is_asker=is_asker,
        state=state,
        data=row.data,
        level=Level(row.level),
        host=row.host,
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        until=row.until,
        reason=row.reason,
        by=row.by,
        at=row.at,
        grant=_grant(row, granted) if granted else None,
        end=_end(row, acts),
        answer=answer,
        may_answer=is_waiting and may_answer(actor=actor, request=row),
        may_decline=is_waiting and acts_here and not is_asker,
        may_take_back=is_waiting and acts_here and is_asker,
        may_revoke=is_granted and acts_here and not is_asker,
    )


def _grant(row: EvidenceRequest, act: RequestAct) -> RequestGrant:
    return RequestGrant(
        level=act.level or Level(row.level),
        starts_at=act.starts_at or row.starts_at,
        ends_at=act.ends_at or row.ends_at,
        until=act.until or row.until,
        by=act.by,
        at=act.at,
    )


def _end(row: EvidenceRequest, acts: Sequence[RequestAct]) -> RequestEnd | None:
    ends = {RequestActKind.REVOKED, RequestActKind.DECLINED, RequestActKind.TAKEN_BACK}
    act = next((each for each in acts if each.kind in ends), None)
    if act is None:
        return None
    sides = (row.organization, row.counterpart)
    who = next(each for each in sides if each.pk == act.organization_id)
    return RequestEnd(organization=name_of(who), by=act.by, at=act.at, reason=act.reason)
