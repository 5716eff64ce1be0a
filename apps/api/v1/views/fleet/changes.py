"""What was changed in a cluster."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import DaysFilterSerializer, days_filter
from apps.api.v1.schema import lists
from apps.api.v1.serializers.fleet.changes import ClusterChangeSerializer
from apps.api.v1.serializers.listing import sent
from apps.diagnosis.input_values import CLOCK_AHEAD
from apps.incidents.facade.cluster_changes import changes_of
from apps.sharing.ledger_kinds import LedgerChannel


class ClusterChanges(OrganizationView):
    """What the reader's organization changed in a cluster, and others as far as they show it."""

    @lists(ClusterChangeSerializer, DaysFilterSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List them, the newest first."""
        now = timezone.now()
        found = changes_of(
            actor=self.actor,
            cluster=public_id,
            span=(now - days_filter(request), now + CLOCK_AHEAD),
            now=now,
            channel=LedgerChannel.REST,
        )
        page = page_of_items(items=found, request=request)
        return Response(page.answer(sent(ClusterChangeSerializer, page.results)))
