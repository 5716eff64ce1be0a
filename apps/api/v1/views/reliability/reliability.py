"""Reliability of training over a span of days: as one document, and table by table."""

from datetime import UTC, date, timedelta
from typing import Any, Final

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_query, takes
from apps.api.v1.schema import answers, sends_csv
from apps.api.v1.serializers.fields import DayField, WordField
from apps.api.v1.serializers.reliability.reliability import PeriodSerializer
from apps.incidents.exports.formats.csv import csv_table
from apps.reliability.facade.periods import BadPeriod, period_of, scope_of
from apps.reliability.period.scopes import Audience
from apps.reliability.period.tables import COLUMNS, table_rows
from apps.reliability.period.values import Period
from apps.sharing.ledger_kinds import LedgerChannel

USUAL: Final = timedelta(days=6)


class PeriodFilterSerializer(serializers.Serializer[Any]):
    """Whose sessions, of which cluster, over which days of UTC, both in it: the last seven unless
    said otherwise. Views of a cluster need its name.
    """

    first_day = DayField(required=False)
    last_day = DayField(required=False)
    view = WordField(choices=[each.value for each in Audience], required=False)
    cluster = serializers.SlugField(max_length=60, required=False)


class _PeriodView(OrganizationView):
    """What a period is asked by."""

    channel = LedgerChannel.REST

    def period(self, request: Request) -> Period:
        """Return the period that is asked for; raise ValidationError, NotFound."""
        asked = read_query(PeriodFilterSerializer, request=request)
        now = timezone.now()
        last_day: date = asked.get("last_day") or now.astimezone(UTC).date()
        first_day: date = asked.get("first_day") or last_day - USUAL
        try:
            scope = scope_of(
                actor=self.actor,
                audience=Audience(asked.get("view", Audience.OWN)),
                cluster=asked.get("cluster"),
                first_day=first_day,
                last_day=last_day,
            )
        except BadPeriod as error:
            raise serializers.ValidationError({error.field: str(error)}) from error
        return period_of(actor=self.actor, scope=scope, now=now, channel=self.channel)


class Reliability(_PeriodView):
    """What failed, what it cost, where the time went."""

    @takes(*PeriodFilterSerializer().fields)
    @extend_schema(
        responses=answers(PeriodSerializer),
        parameters=[PeriodFilterSerializer],
        operation_id="reliability",
    )
    def get(self, request: Request, organization: str) -> Response:
        """Return the figures of a period."""
        return Response(PeriodSerializer(self.period(request)).data)


def reliability_as(table: str) -> type[OrganizationView]:
    """Return the view that sends one table of a period as a file."""

    class ReliabilityTable(_PeriodView):
        """One table of a period as a file."""

        channel = LedgerChannel.EXPORT

        @sends_csv(PeriodFilterSerializer, operation=f"reliability_{table.replace('-', '_')}_csv")
        def get(self, request: Request, organization: str) -> StreamingHttpResponse:
            """Send the table."""
            period = self.period(request)
            self.note("reliability.exported", table)
            return self.send_csv(
                csv_table(COLUMNS[table], table_rows(period, table=table)),
                name=f"reliability-{table}-{organization}",
            )

    return ReliabilityTable
