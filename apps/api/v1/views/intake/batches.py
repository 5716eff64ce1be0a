"""What an organization sent of logs and could not be read."""

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_RECEIVED, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.schema import lists
from apps.api.v1.serializers.intake.batches import SetAsideSerializer
from apps.api.v1.serializers.listing import sent
from apps.telemetry.facade.logs import list_set_aside


class SetAside(OrganizationView):
    """Bodies of logs that were set aside."""

    @lists(SetAsideSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them with the reason, the newest first. Newer code tries each once more."""
        rows = list_set_aside(actor=self.actor)
        page = page_of_rows(rows=rows, order=NEWEST_RECEIVED, request=request)
        return Response(page.answer(sent(SetAsideSerializer, page.results)))
