"""Requests for evidence that wait for the reader's organization, one line for each incident."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.incidents.evidence_requests.request_views import EvidenceRequestView
from apps.incidents.facade.evidence_requests import list_requests
from apps.tenancy.access import Actor, Right
from apps.web.incident.evidence_requests.card import waiting_line

READ: Final = 100  # the newest
SHOWN_AT_MOST: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRequests:
    """Who asks for evidence of an incident, in a sentence."""

    text: str
    incident: str  # its public id
    request: str  # the newest


def waiting_requests(*, actor: Actor, now: datetime) -> tuple[WaitingRequests, ...]:
    """Return them for who can act on them, the newest first. Needs the scope."""
    if Right.ACT not in actor.rights:
        return ()
    waiting = [each for each in list_requests(actor=actor, now=now)[:READ] if each.waits_for_reader]
    found: dict[str, list[EvidenceRequestView]] = {}
    for each in waiting:
        found.setdefault(each.incident, []).append(each)
    return tuple(
        WaitingRequests(text=waiting_line(asked), incident=incident, request=asked[0].public_id)
        for incident, asked in [*found.items()][:SHOWN_AT_MOST]
    )
