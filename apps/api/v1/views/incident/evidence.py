"""The metrics that the reader's organization kept around an incident."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.queries import takes
from apps.api.v1.schema import PAGING, answers
from apps.api.v1.serializers.incident.evidence import (
    CaptureSerializer,
    KeptEvidenceSerializer,
    KeptSerializer,
)
from apps.api.v1.serializers.listing import sent
from apps.api.v1.views.incident.incidents import IncidentEndpoint
from apps.telemetry.facade.evidence import captures_of, kept_charts


class IncidentEvidence(IncidentEndpoint):
    """Series around an incident that stay readable when their source is gone."""

    @takes(*(each.name for each in PAGING))
    @extend_schema(
        responses=answers(KeptEvidenceSerializer),
        parameters=[*PAGING],
        operation_id="incident_evidence",
    )
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List the kept series, and the captures that are still awaited or failed."""
        incident = self.incident(public_id)
        owner, known_as = incident.owner_id, incident.public_id
        kept = kept_charts(actor=self.actor, incident_owner=owner, incident_public_id=known_as)
        captures = captures_of(actor=self.actor, incident_owner=owner, incident_public_id=known_as)
        page = page_of_items(items=kept, request=request)
        return Response(
            {
                "captures": sent(CaptureSerializer, captures),
                "results": sent(KeptSerializer, page.results),
                "next": page.next,
                "next_cursor": page.next_cursor,
            }
        )
