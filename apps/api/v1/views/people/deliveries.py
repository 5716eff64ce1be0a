"""The delivery log, sending again, and tests."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_MADE, page_of_rows
from apps.api.v1.queries import read_body
from apps.api.v1.schema import answers, changing, lists, writes
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.people.notifications import (
    ChannelSerializer,
    CountSerializer,
    DeliveryDetailSerializer,
    DeliverySerializer,
)
from apps.api.v1.user_view import UserView
from apps.notifications.delivery import delivery_log
from apps.notifications.notification_kinds import Channel


class Deliveries(UserView):
    """What went to whom."""

    @lists(DeliverySerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List the newest first: admins all, others their own letters."""
        rows = delivery_log.access_deliveries(actor=self.actor)
        found = page_of_rows(rows=rows, order=NEWEST_MADE, request=request)
        return Response(found.answer(sent(DeliverySerializer, found.results)))


class DeliveryDetail(UserView):
    """One delivery."""

    @extend_schema(responses=answers(DeliveryDetailSerializer), operation_id="delivery")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it with its tries."""
        found = delivery_log.access_delivery(actor=self.actor, public_id=public_id)
        context = {"tries": found.tries}
        return Response(DeliveryDetailSerializer(found.delivery, context=context).data)


class DeliveryReplay(UserView):
    """One delivery once more."""

    @extend_schema(
        request=None,
        responses=changing(DeliveryDetailSerializer, status=202),
        operation_id="delivery_replay",
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Send it again under its id; one that is being sent right now is left to that."""
        delivery_log.send_again(actor=self.actor, public_id=public_id, now=timezone.now())
        self.note("notice.replayed", public_id)
        found = delivery_log.access_delivery(actor=self.actor, public_id=public_id)
        context = {"tries": found.tries}
        return Response(DeliveryDetailSerializer(found.delivery, context=context).data, status=202)


class FailedReplay(UserView):
    """Everything that was given up."""

    @extend_schema(
        request=None,
        responses=answers(CountSerializer, status=202),
        operation_id="failed_replay",
    )
    def post(self, request: Request, organization: str) -> Response:
        """Send all of it again: admins the organization's, others their own letters."""
        count = delivery_log.send_failed_again(actor=self.actor, now=timezone.now())
        self.note("notice.replayed_all", "")
        return Response({"count": count}, status=202)


class Tests(UserView):
    """Whether it arrives."""

    @writes(ChannelSerializer, None, operation="notification_test", status=202)
    def post(self, request: Request, organization: str) -> Response:
        """Send a test by the usual way; the log says how it went. One a minute for a target."""
        channel = Channel(read_body(ChannelSerializer, request=request)["channel"])
        delivery_log.send_test(actor=self.actor, channel=channel, now=timezone.now())
        self.note("notice.tested", channel)
        return Response(status=202)
