"""What a party reads of an incident, and which of it others show."""

from typing import Any, Final

from apps.incidents.facade.reads import incident_view_of
from apps.incidents.models import Incident, TimelineEntry
from apps.incidents.projection.values import EvidencePiece, IncidentView, TimelineMoment
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import actor

EVENTS: Final = SharingRule(data="events:gpu", level=Level.FULL)


def view(incident: Incident, reader: Organization) -> IncidentView:
    with organization_scope(reader.pk):
        return incident_view_of(
            actor=actor(reader, MemberRole.VIEWER), public_id=incident.public_id
        )


def shared(view: IncidentView) -> list[EvidencePiece]:
    return [each for each in view.hypotheses[0].supporting if each.shared]


def moments(view: IncidentView) -> list[TimelineMoment]:
    return [each for each in view.timeline if each.shared]


def of(rule: SharingRule, giver: Organization) -> dict[str, list[SharingRule]]:
    return {giver.slug: [rule]}


def moment(incident: Incident, holder: Organization, title: str, **fields: Any) -> None:
    """Write a moment of a holder's story. Needs its scope."""
    usual: dict[str, Any] = {"lane": "gpu", "kind": "event", "at": make.AT, "revision": 1}
    TimelineEntry.objects.create(
        organization=holder,
        incident=incident,
        key=title.encode(),
        moment=title.encode(),
        title=title,
        statement={"kind": "text", "values": {"text": title}},
        created_at=make.AT,
        **(usual | fields),
    )


def words(told: Any) -> str:
    return str(told)
