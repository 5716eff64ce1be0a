"""When reports are issued by themselves: set by admins."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.queries import read_body
from apps.api.v1.schema import answers, changing, lists, writes
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.reliability.reports import ScheduleSerializer, ScheduleWishSerializer
from apps.api.v1.user_view import UserView
from apps.reliability.facade.report_schedules import (
    drop_schedule,
    list_schedules,
    member_ids,
    open_schedule,
    set_schedule,
)
from apps.reliability.period.scopes import Audience
from apps.tenancy.access import Right


class ReportSchedules(UserView):
    """Reports that one's organization has issued by themselves."""

    creates = True

    @lists(ScheduleSerializer, operation="report_schedule_list")
    def get(self, request: Request, organization: str) -> Response:
        """List them. Signed-in members only."""
        page = page_of_items(items=list_schedules(actor=self.actor), request=request)
        return Response(page.answer(sent(ScheduleSerializer, page.results)))

    @writes(ScheduleWishSerializer, ScheduleSerializer, operation="report_schedule_set", status=201)
    def post(self, request: Request, organization: str) -> Response:
        """Set one; of one audience, cluster and rhythm there is one. Signed-in admins only."""
        self.actor.require(Right.MANAGE)
        wish = read_body(ScheduleWishSerializer, request=request)
        public_id = set_schedule(
            context=self.act_context(),
            audience=Audience(wish["audience"]),
            cluster=wish.get("cluster"),
            rhythm=wish["rhythm"],
            recipients=member_ids(actor=self.actor, names=wish["recipients"]),
            to_webhook=wish["to_webhook"],
        )
        found = open_schedule(actor=self.actor, public_id=public_id)
        return Response(ScheduleSerializer(found).data, status=201)


class ReportScheduleDetail(UserView):
    """One of them."""

    @extend_schema(responses=answers(ScheduleSerializer), operation_id="report_schedule")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it. Signed-in members only."""
        found = open_schedule(actor=self.actor, public_id=public_id)
        return Response(ScheduleSerializer(found).data)

    @extend_schema(responses=changing(None, status=204), operation_id="report_schedule_end")
    def delete(self, request: Request, organization: str, public_id: str) -> Response:
        """End it; what was issued stays. Signed-in admins only."""
        drop_schedule(context=self.act_context(), public_id=public_id)
        return Response(status=204)
