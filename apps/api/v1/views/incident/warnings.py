"""What metrics told of early: an organization's own warnings and signals, and what others show."""

from typing import Final

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_RAISED, page_of_items, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import WarningFilterSerializer, warning_filters
from apps.api.v1.schema import answers, lists
from apps.api.v1.serializers.incident.warnings import SharedWarningSerializer, WarningSerializer
from apps.api.v1.serializers.listing import sent
from apps.incidents.facade.shared import WarningFilter, list_shared_warnings
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.facade.warnings import list_episodes, open_episode

MOST_SHOWN: Final = 2000


class Warnings(OrganizationView):
    """Warnings and signals found in the organization's own sources."""

    @lists(WarningSerializer, WarningFilterSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, the newest first."""
        filters, wanted = warning_filters(actor=self.actor, request=request)
        rows = list_episodes(actor=self.actor, **filters, wanted=wanted)
        page = page_of_rows(rows=rows, order=NEWEST_RAISED, request=request)
        return Response(page.answer(sent(WarningSerializer, page.results)))


class SharedWarnings(OrganizationView):
    """Warnings and signals that other parties show by agreement."""

    @lists(SharedWarningSerializer, WarningFilterSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, the newest first: of the last 90 days, as far as each agreement goes."""
        filters, episode = warning_filters(actor=self.actor, request=request)
        now = timezone.now()
        shown = list_shared_warnings(
            actor=self.actor,
            wanted=WarningFilter(**filters, episode=episode),
            limit=MOST_SHOWN,
            now=now,
            channel=LedgerChannel.REST,
        )
        page = page_of_items(items=shown, request=request)
        return Response(page.answer(sent(SharedWarningSerializer, page.results)))


class WarningDetail(OrganizationView):
    """One warning or signal."""

    @extend_schema(responses=answers(WarningSerializer), operation_id="warning")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it."""
        episode = open_episode(actor=self.actor, public_id=public_id)
        return Response(WarningSerializer(episode).data)
