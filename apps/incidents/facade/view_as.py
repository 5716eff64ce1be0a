"""Looking as another party would. All of it needs the scope of the actor's organization."""

from datetime import datetime

from apps.incidents.projection import access
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.view_as.other_party import headers_as as read_headers_as
from apps.incidents.projection.view_as.party_view import ViewAs, view_as
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.values import OrganizationName

MOST_LOOKED_AT = 200  # the newest incidents; those of both among them are listed


def incident_as(
    *, actor: Actor, public_id: str, slug: str, now: datetime, proposed: bool = False
) -> ViewAs:
    """Return an incident as a party would read what the actor's organization holds of it.

    `proposed`: as if the terms that wait for a signature were signed. Raises NotFound for whom the
    actor does not know as a party of it that takes part now.
    """
    actor.require(Right.MANAGE)
    row = access.access_incident(actor=actor, public_id=public_id)
    return view_as(actor=actor, incident=row, slug=slug, now=now, proposed=proposed)


def headers_as(
    *, actor: Actor, slug: str, most: int
) -> tuple[OrganizationName, list[IncidentHeader]]:
    """Return the other party, and the newest headers of incidents that both are parties of.

    Raises NotFound where the actor knows of none.
    """
    actor.require(Right.MANAGE)
    rows = access.access_incidents(actor=actor)[:MOST_LOOKED_AT]
    headers = read_headers_as(actor=actor, incidents=list(rows), slug=slug, most=most)
    if not headers:
        raise NotFound
    return headers[0].reader, headers
