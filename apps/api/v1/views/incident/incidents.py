"""Incidents, their explanations and their story."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_MOMENT, page_of_items, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import IncidentFilterSerializer, incident_filters
from apps.api.v1.queries import read_query, takes
from apps.api.v1.schema import answers, lists
from apps.api.v1.serializers.incident.hypotheses import MissingSerializer
from apps.api.v1.serializers.incident.incidents import IncidentSerializer
from apps.api.v1.serializers.incident.log_lines import (
    HypothesisSerializer,
    LineContextSerializer,
    LineQuerySerializer,
    TimelineSerializer,
)
from apps.api.v1.serializers.incident.shared import (
    SharedContextSerializer,
    SharedLineQuerySerializer,
    SharedSessionSerializer,
)
from apps.api.v1.serializers.listing import sent
from apps.diagnosis.model import Statement, statement_of
from apps.incidents.facade.acts import note_act
from apps.incidents.facade.reads import (
    cited_line_context,
    incident_header,
    incident_hypotheses,
    incident_timeline,
    lines_behind,
    list_incidents,
    open_incident,
)
from apps.incidents.facade.shared import shared_line_context, shared_sessions
from apps.incidents.projection.header_values import IncidentFacts, IncidentHeader
from apps.incidents.projection.values import HypothesisView
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Right


class IncidentEndpoint(OrganizationView):
    """What the views of one incident share."""

    def incident(self, public_id: str) -> IncidentFacts:
        """Return the incident through its door, which what changes it has to pass, too."""
        self.actor.require(Right.READ)
        right = Right.READ if self.request.method in SAFE_METHODS else Right.ACT
        return open_incident(actor=self.actor, public_id=public_id, right=right)

    def note_act(self, incident: IncidentFacts, action: str, detail: str = "") -> None:
        """Append what the actor did to its record and to that of the incident's owner."""
        now = timezone.now()
        asked = self.request._request  # noqa: SLF001  what remembers the address
        note_act(
            actor=self.actor,
            incident=incident,
            action=action,
            detail=detail,
            request=asked,
            now=now,
        )

    def sent_header(self, header: IncidentHeader) -> dict[str, Any]:
        """Return a projected header as it is sent."""
        return self.sent_headers([header])[0]

    def sent_headers(self, headers: Iterable[IncidentHeader]) -> list[dict[str, Any]]:
        """Return projected headers as they are sent."""
        origin = self.request.build_absolute_uri("/").rstrip("/")
        return sent(IncidentSerializer, headers, {"origin": origin, "now": timezone.now()})


class Incidents(IncidentEndpoint):
    """The incidents one is a party of."""

    @lists(IncidentSerializer, IncidentFilterSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, newest first."""
        rows = list_incidents(actor=self.actor, **incident_filters(request))
        page = page_of_rows(rows=rows, order=NEWEST_MOMENT, request=request)
        return Response(page.answer(self.sent_headers(page.results)))


class IncidentDetail(IncidentEndpoint):
    """One incident. An id that was merged leads to the living one."""

    @extend_schema(responses=answers(IncidentSerializer), operation_id="incident")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return its header."""
        header = incident_header(actor=self.actor, public_id=public_id)
        return Response(self.sent_header(header))


class Hypotheses(IncidentEndpoint):
    """What may explain an incident, best first."""

    @lists(HypothesisSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List the explanations, ruled-out ones included."""
        views = incident_hypotheses(actor=self.actor, public_id=public_id)
        page = page_of_items(items=views, request=request)
        lines = lines_behind(actor=self.actor, hypotheses=page.results)
        return Response(page.answer(sent(HypothesisSerializer, page.results, {"lines": lines})))


class MissingEvidence(IncidentEndpoint):
    """Sources that would settle the question, and which part holds them."""

    @lists(MissingSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List each once, what the best explanation lacks first."""
        views = incident_hypotheses(actor=self.actor, public_id=public_id, channel=None)
        page = page_of_items(items=distinct_missing(views), request=request)
        return Response(page.answer(sent(MissingSerializer, page.results)))


class Timeline(IncidentEndpoint):
    """The story of an incident as far as one may read it."""

    @lists(TimelineSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List the moments in order."""
        header, moments = incident_timeline(actor=self.actor, public_id=public_id)
        page = page_of_items(items=moments, request=request)
        context = {"parties": {each.organization.id: each.organization for each in header.parties}}
        return Response(page.answer(sent(TimelineSerializer, page.results, context)))


class LogLines(IncidentEndpoint):
    """A line of one's own logs that an explanation rests on, and its neighbours."""

    @takes(*LineQuerySerializer().fields)
    @extend_schema(
        responses=answers(LineContextSerializer),
        parameters=[LineQuerySerializer],
        operation_id="incident_log_lines",
    )
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return the line with up to 20 before and behind it; 404 for any other line."""
        incident = self.incident(public_id)
        asked = read_query(LineQuerySerializer, request=request)
        found = cited_line_context(actor=self.actor, public_id=incident.public_id, **asked)
        return Response(LineContextSerializer(found).data)


class SharedLogLines(IncidentEndpoint):
    """A cited line that another party shows, and its neighbours."""

    @takes(*SharedLineQuerySerializer().fields)
    @extend_schema(
        responses=answers(SharedContextSerializer),
        parameters=[SharedLineQuerySerializer],
        operation_id="incident_shared_log_lines",
    )
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return the line with up to three before and behind it, each as far as it is shown.

        404 for any other line.
        """
        incident = self.incident(public_id)
        asked = read_query(SharedLineQuerySerializer, request=request)
        found = shared_line_context(
            actor=self.actor,
            public_id=incident.public_id,
            channel=LedgerChannel.REST,
            **asked,
        )
        return Response(SharedContextSerializer(found).data)


class SharedSessions(IncidentEndpoint):
    """Sessions that an incident hit, as far as their tenants show them to who reads of none."""

    @lists(SharedSessionSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List them; empty for who reads sessions by its part in the cluster."""
        found = shared_sessions(actor=self.actor, public_id=public_id, channel=LedgerChannel.REST)
        page = page_of_items(items=found, request=request)
        return Response(page.answer(sent(SharedSessionSerializer, page.results)))


def distinct_missing(views: Sequence[HypothesisView]) -> list[dict[str, Any]]:
    """Return what the explanations lack, each source of each holder once."""
    distinct: dict[tuple[str, str, Statement], dict[str, Any]] = {}
    for view in views:
        for each in view.missing:
            key = (each["source"], each["held_by"], statement_of(each["would"]))
            distinct.setdefault(key, dict(each))
    return list(distinct.values())
