"""Which open incidents wait for an organization. Needs the scope of the actor's organization."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.incidents.projection.access import access_incidents
from apps.incidents.projection.headers import read_headers
from apps.incidents.states import IncidentStatus
from apps.incidents.words.waiting import waiting_of
from apps.tenancy.access import Actor

# Of the newest that are open: whose turn it is, only a whole header says.
MOST_IN_HAND: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class InHand:
    """The open incidents that wait for a reader."""

    ids: frozenset[int]
    is_cut: bool  # there are more open ones than were looked at


def incidents_in_hand(*, actor: Actor, now: datetime) -> InHand:
    """Return the open incidents in the hands of the actor's organization, or that wait for it."""
    rows = access_incidents(actor=actor, status=IncidentStatus.OPEN)
    found = list(rows[: MOST_IN_HAND + 1])
    headers = read_headers(actor=actor, incidents=found[:MOST_IN_HAND])
    ids = frozenset(
        header.id
        for header in headers
        if any(party.is_reader and party.acts for party in header.parties)
        or waiting_of(header, now=now)
    )
    return InHand(ids=ids, is_cut=len(found) > MOST_IN_HAND)
