"""What parties of an incident ask each other for. All of it needs the actor's scope."""

from datetime import datetime

from apps.fleet.parties.cross_party_acts import ActContext
from apps.incidents.evidence_requests import acts
from apps.incidents.evidence_requests.answers import answer_views, answers
from apps.incidents.evidence_requests.answers.answers import AnswerEntry, AnswerPreview
from apps.incidents.evidence_requests.request_terms import GrantEntry, RequestEntry
from apps.incidents.evidence_requests.request_views import EvidenceRequestView, views_of
from apps.incidents.evidence_requests.requests import (
    access_request,
    access_requests,
    of_incident,
)
from apps.incidents.facade.incident_row import row_of
from apps.incidents.projection.access import access_incident
from apps.incidents.projection.header_values import IncidentFacts
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor, Right
from apps.tenancy.values import ValueList


def list_requests(
    *, actor: Actor, now: datetime, channel: LedgerChannel | None = None
) -> ValueList[EvidenceRequestView]:
    """Return what the actor's organization was asked for and asks for, the newest first.

    What others answered is read with a channel alone. Raises LedgerUnavailable.
    """
    return ValueList(
        rows=access_requests(actor=actor),
        project=lambda rows: views_of(actor=actor, rows=rows, now=now, channel=channel),
    )


def incident_requests(
    *,
    actor: Actor,
    incident: IncidentFacts,
    now: datetime,
    channel: LedgerChannel | None = None,
) -> tuple[EvidenceRequestView, ...]:
    """Return those of one incident, what waits for the actor's organization first."""
    row = row_of(incident)
    rows = list(access_requests(actor=actor).filter(of_incident(incident=row)))
    found = views_of(actor=actor, rows=rows, now=now, channel=channel)
    return tuple(sorted(found, key=lambda each: not each.waits_for_reader))


def open_request(
    *, actor: Actor, public_id: str, now: datetime, channel: LedgerChannel | None = None
) -> EvidenceRequestView:
    """Return one of these; raise NotFound, LedgerUnavailable."""
    row = access_request(actor=actor, public_id=public_id)
    return views_of(actor=actor, rows=[row], now=now, channel=channel)[0]


def preview_answer(
    *, actor: Actor, public_id: str, entry: AnswerEntry, now: datetime
) -> AnswerPreview:
    """Return what could be stated in answer to a request; nothing leaves.

    Raises NotFound, RequestMoved, BadRequestTerms.
    """
    return answers.preview(actor=actor, public_id=public_id, entry=entry, now=now)


def answer(*, actor: Actor, public_id: str, entry: AnswerEntry, context: ActContext) -> None:
    """State what was read. Raises NotFound, RequestMoved, FindingsMoved, BadRequestTerms."""
    answers.answer(actor=actor, public_id=public_id, entry=entry, context=context)


def answer_file(*, actor: Actor, public_id: str, channel: LedgerChannel, now: datetime) -> bytes:
    """Return the file of an answer, to be checked without a portal. Raises NotFound."""
    row = access_request(actor=actor, public_id=public_id)
    return answer_views.answer_file(actor=actor, request=row, channel=channel, now=now)


def ask(*, actor: Actor, incident: str, entry: RequestEntry, context: ActContext) -> str:
    """Ask a party of an incident for evidence; return the request's id.

    Raises NotFound for an incident or a party that the actor does not know, and BadRequestTerms.
    """
    row = access_incident(actor=actor, public_id=incident, right=Right.ACT)
    return acts.ask(actor=actor, incident=row, entry=entry, context=context).public_id


def take_back(*, actor: Actor, public_id: str, context: ActContext) -> None:
    """Take a request of one's own back. Raises NotFound, RequestMoved."""
    acts.take_back(actor=actor, public_id=public_id, context=context)


def grant(*, actor: Actor, public_id: str, entry: GrantEntry, context: ActContext) -> None:
    """Show what is asked for, or less. Raises NotFound, RequestMoved, BadRequestTerms."""
    acts.grant(actor=actor, public_id=public_id, entry=entry, context=context)


def decline(*, actor: Actor, public_id: str, reason: str, context: ActContext) -> None:
    """Say no, and why. Raises NotFound, RequestMoved, BadRequestTerms."""
    acts.decline(actor=actor, public_id=public_id, reason=reason, context=context)


def revoke(*, actor: Actor, public_id: str, reason: str, context: ActContext) -> None:
    """End a grant at once. Raises NotFound, RequestMoved, BadRequestTerms."""
    acts.revoke(actor=actor, public_id=public_id, reason=reason, context=context)
