"""What the views of hand-overs, of proposals to resolve and of actions share."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from apps.api.v1.queries import read_body
from apps.api.v1.views.incident.incidents import IncidentEndpoint
from apps.incidents.coordination.values import Coordination, HandOverView, ResolutionView
from apps.incidents.facade.notes import annotations_of
from apps.incidents.facade.reads import incident_header
from apps.incidents.facade.work import note_hand_over
from apps.incidents.projection.header_values import IncidentFacts, IncidentHeader
from apps.tenancy.access import NotFound


class CoordinationView(IncidentEndpoint):
    """What the views of hand-overs, proposals and actions share."""

    def header(self, incident: IncidentFacts) -> IncidentHeader:
        """Return the header as it stands now."""
        return incident_header(actor=self.actor, public_id=incident.public_id)

    def coordination(self, incident: IncidentFacts) -> Coordination:
        """Return how it stands now among its parties."""
        return self.header(incident).coordination

    def context(self, incident: IncidentFacts) -> dict[str, Any]:
        """Return the words that go with steps, as far as the reader may read them."""
        notes = annotations_of(incident=incident)
        return {"texts": {each.public_id: each.text for each in notes}}

    def answer(
        self, kind: type[Serializer[Any]], found: object, incident: IncidentFacts, status: int = 200
    ) -> Response:
        """Return one hand-over or proposal with its steps and their words."""
        return Response(kind(found, context=self.context(incident)).data, status=status)

    def values(self, kind: Any) -> Mapping[str, Any]:
        """Return what was entered; raise ValidationError."""
        return read_body(kind, request=self.request)

    def note_on(self, incident: IncidentFacts, subject: str, action: str) -> None:
        """Append an act on a hand-over to the records of both sides and of the owner."""
        note_hand_over(
            actor=self.actor,
            incident=incident,
            subject=subject,
            action=action,
            request=self.request._request,  # noqa: SLF001  what remembers the address
            now=timezone.now(),
        )

    def hand_over(self, incident: IncidentFacts, subject: str) -> HandOverView:
        """Return one hand-over; raise NotFound."""
        for each in self.coordination(incident).hand_overs:
            if each.id == subject:
                return each
        raise NotFound

    def resolution(self, incident: IncidentFacts, subject: str) -> ResolutionView:
        """Return one proposal; raise NotFound."""
        for each in self.coordination(incident).resolutions:
            if each.id == subject:
                return each
        raise NotFound
