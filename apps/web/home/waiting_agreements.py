"""Agreements that an admin has to look at: those that wait for an answer, and those that end."""

from dataclasses import dataclass
from datetime import datetime

from apps.diagnosis.model import Statement
from apps.sharing.facade.agreement_news import ending_said, ends_soon, waiting_said
from apps.sharing.facade.agreements import AgreementView, list_agreements
from apps.tenancy.access import Actor, Right
from apps.wording import said

SHOWN_AT_MOST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingAgreement:
    """An agreement in a sentence, and where to look at it."""

    text: str
    public_id: str
    is_asked: bool  # it waits for an answer


def waiting_agreements(*, actor: Actor, now: datetime) -> tuple[WaitingAgreement, ...]:
    """Return them for who can act on them, what waits first. Needs the scope."""
    if Right.MANAGE not in actor.rights:
        return ()
    views = list_agreements(actor=actor, now=now)
    found = [
        WaitingAgreement(text=said(told), public_id=view.public_id, is_asked=view.waits_for_reader)
        for view in views
        if (told := _told(view, now)) is not None
    ]
    return tuple(found[:SHOWN_AT_MOST])


def _told(view: AgreementView, now: datetime) -> Statement | None:
    if view.waits_for_reader:
        return waiting_said(other=view.other, cluster=view.cluster)
    ends_at = ends_soon(view=view, now=now)
    if ends_at is None:
        return None
    return ending_said(other=view.other, cluster=view.cluster, ends_at=ends_at)
