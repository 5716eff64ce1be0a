"""Acts on an incident in the record of who did them, and of the organization whose it is."""

from collections.abc import Collection
from datetime import datetime

from django.http import HttpRequest

from apps.fleet.parties.leave_cluster import Told, tell
from apps.incidents.models import Annotation, Incident
from apps.tenancy.access import Actor
from apps.tenancy.audit.audit_log import remote_address_of


def note_act(
    *,
    actor: Actor,
    incident: Incident,
    action: str,
    detail: str = "",
    request: HttpRequest,
    now: datetime,
) -> None:
    """Append an act that all parties may read to both records. Needs the actor's scope."""
    _note(actor, incident, action, detail, request, now, others={incident.organization_id})


def note_annotation(
    *,
    actor: Actor,
    annotation: Annotation,
    action: str,
    former: Annotation | None = None,
    request: HttpRequest,
    now: datetime,
) -> None:
    """Append an act on a note; to the record of the incident's owner if it is among its readers."""
    incident = annotation.incident
    readers = {*annotation.audience, *(former.audience if former else ())}
    others = readers & {incident.organization_id}
    _note(actor, incident, action, annotation.public_id, request, now, others=others)


def _note(  # noqa: PLR0913  an act in all its circumstances
    actor: Actor,
    incident: Incident,
    action: str,
    detail: str,
    request: HttpRequest,
    now: datetime,
    *,
    others: Collection[int],
) -> None:
    subject = f"{incident.public_id} {detail}".strip()
    told = Told(actor=actor, now=now, remote_address=remote_address_of(request=request))
    tell(action, subject, told, others=others)
