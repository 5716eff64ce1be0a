"""Stragglers: of one session, and over all sessions with a step trace."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import InstantField
from apps.api.v1.queries import read_query, takes
from apps.api.v1.schema import answers, sends_csv
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.reliability.stragglers import (
    SessionStragglersSerializer,
    StragglerFleetViewSerializer,
    StragglerJobSerializer,
)
from apps.fleet.facade.sessions import attempts_of, open_session
from apps.incidents.exports.formats.csv import CSV, csv_table
from apps.reliability.facade.stragglers import (
    slow_members,
    straggler_findings,
    straggler_fleet,
)
from apps.sharing.ledger_kinds import LedgerChannel

USUAL_SPAN: Final = timedelta(days=93)
COLUMNS: Final = tuple(StragglerJobSerializer().fields)


class FleetSpanSerializer(serializers.Serializer[Any]):
    """Attempts that ran since then; without it of three months."""

    since = InstantField()


class SessionStragglers(OrganizationView):
    """Stragglers of one session."""

    @extend_schema(
        responses=answers(SessionStragglersSerializer), operation_id="session_stragglers"
    )
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return who is slower than its peers, and what one's own step traces said."""
        session = open_session(actor=self.actor, public_id=public_id)
        attempts = attempts_of(actor=self.actor, sessions=[session])[session.id]
        traces = straggler_findings(actor=self.actor, session=session, attempts=attempts)
        slow = (
            slow_members(
                actor=self.actor,
                cluster=session.cluster.slug if session.cluster else None,
                attempt=attempts[-1],
                findings=traces,
                channel=LedgerChannel.REST,
                now=timezone.now(),
            )
            if attempts
            else ()
        )
        told = {"slow_members": slow, "traces": traces}
        return Response(SessionStragglersSerializer(told).data)


class Stragglers(OrganizationView):
    """Stragglers over all sessions with a step trace."""

    @takes(*FleetSpanSerializer().fields)
    @extend_schema(
        responses=answers(StragglerFleetViewSerializer),
        parameters=[FleetSpanSerializer],
        operation_id="stragglers",
    )
    def get(self, request: Request, organization: str) -> Response:
        """Return the table, the months and the jobs."""
        now = timezone.now()
        found = straggler_fleet(actor=self.actor, since=_since(request, now), now=now)
        return Response(StragglerFleetViewSerializer(found).data)


class StragglerJobsCsv(OrganizationView):
    """The jobs with a step trace as a file."""

    @sends_csv(FleetSpanSerializer, operation="straggler_jobs_csv")
    def get(self, request: Request, organization: str) -> StreamingHttpResponse:
        """Send the jobs by their start."""
        now = timezone.now()
        found = straggler_fleet(actor=self.actor, since=_since(request, now), now=now)
        self.note("stragglers.exported", CSV.name)
        return self.send_csv(
            csv_table(COLUMNS, iter(sent(StragglerJobSerializer, found.jobs))),
            name=f"stragglers-{organization}",
        )


def _since(request: Request, now: datetime) -> datetime:
    asked = read_query(FleetSpanSerializer, request=request)
    since: datetime = asked.get("since") or now - USUAL_SPAN
    return since
