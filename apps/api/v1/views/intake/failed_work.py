"""What the portal could not do for an organization."""

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_SET_ASIDE, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.schema import lists
from apps.api.v1.serializers.intake.failed_work import FailedWorkSerializer
from apps.api.v1.serializers.listing import sent
from apps.tenancy.work.failed_work import access_failed_work


class FailedWorks(OrganizationView):
    """Units of work that failed several times and were set aside."""

    @lists(FailedWorkSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, the last one first."""
        rows = access_failed_work(actor=self.actor)
        page = page_of_rows(rows=rows, order=NEWEST_SET_ASIDE, request=request)
        return Response(page.answer(sent(FailedWorkSerializer, page.results)))
