"""What became of inventories and session events that were too large to be carried out at once."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.schema import answers
from apps.api.v1.serializers.intake.submissions import SubmissionSerializer
from apps.telemetry.submissions.outcome import outcome_of


class SubmissionDetail(OrganizationView):
    """One submission of the organization's own."""

    @extend_schema(responses=answers(SubmissionSerializer), operation_id="submission")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return how far it is."""
        outcome = outcome_of(actor=self.actor, public_id=public_id)
        return Response(SubmissionSerializer(outcome).data)
