"""Incidents, their explanations and their story."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_MOMENT, page_of_items, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import IncidentFilterSerializer, incident_filters
from apps.api.v1.schema import answers, lists
from apps.api.v1.serializers.incidents import (
    IncidentSerializer,
    MissingSerializer,
    TimelineSerializer,
)
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.log_lines import HypothesisSerializer
from apps.incidents.projection.access import access_incident, access_incidents
from apps.incidents.acts import note_act
from apps.incidents.models import Incident
from apps.incidents.projection.incident_view import (
    HypothesisView,
    IncidentHeader,
    read_header,
    read_headers,
    read_hypotheses,
    read_timeline,
)
from apps.incidents.projection.log_lines import lines_behind
from apps.tenancy.access import Right


class IncidentView(OrganizationView):
    """What the views of one incident share."""

    def incident(self, public_id: str) -> Incident:
        """Return the incident through its door, which what changes it has to pass, too."""
        self.actor.require(Right.READ)
        right = Right.READ if self.request.method in SAFE_METHODS else Right.ACT
        return access_incident(actor=self.actor, public_id=public_id, right=right)

    def note_act(self, incident: Incident, action: str, detail: str = "") -> None:
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

    def header(self, incident: Incident) -> dict[str, Any]:
        """Return the header of an incident as it is sent."""
        return self.sent_header(read_header(actor=self.actor, incident=incident))

    def sent_headers(self, incidents: Sequence[Incident]) -> list[dict[str, Any]]:
        """Return the headers of many incidents as they are sent."""
        headers = read_headers(actor=self.actor, incidents=list(incidents))
        return [self.sent_header(header) for header in headers]

    def sent_header(self, header: IncidentHeader) -> dict[str, Any]:
        """Return a projected header as it is sent."""
        origin = self.request.build_absolute_uri("/").rstrip("/")
        return dict(IncidentSerializer(header, context={"origin": origin}).data)


class Incidents(IncidentView):
    """The incidents one is a party of."""

    @lists(IncidentSerializer, IncidentFilterSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, newest first."""
        rows = access_incidents(actor=self.actor, **incident_filters(request))
        page = page_of_rows(rows=rows, order=NEWEST_MOMENT, request=request)
        return Response(page.answer(self.sent_headers(page.results)))


class IncidentDetail(IncidentView):
    """One incident. An id that was merged leads to the living one."""

    @extend_schema(responses=answers(IncidentSerializer), operation_id="incident")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return its header."""
        return Response(self.header(self.incident(public_id)))


class Hypotheses(IncidentView):
    """What may explain an incident, best first."""

    @lists(HypothesisSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List the explanations, ruled-out ones included."""
        views = read_hypotheses(actor=self.actor, incident=self.incident(public_id))
        page = page_of_items(items=views, request=request)
        lines = lines_behind(actor=self.actor, hypotheses=page.results)
        return Response(page.answer(sent(HypothesisSerializer, page.results, {"lines": lines})))


class MissingEvidence(IncidentView):
    """Sources that would settle the question, and which part holds them."""

    @lists(MissingSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List each once, what the best explanation lacks first."""
        views = read_hypotheses(actor=self.actor, incident=self.incident(public_id))
        page = page_of_items(items=distinct_missing(views), request=request)
        return Response(page.answer(sent(MissingSerializer, page.results)))


class Timeline(IncidentView):
    """The story of an incident as far as one may read it."""

    @lists(TimelineSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List the moments in order."""
        incident = self.incident(public_id)
        header = read_header(actor=self.actor, incident=incident)
        page = page_of_items(items=read_timeline(incident=incident), request=request)
        context = {"parties": {each.organization.pk: each.organization for each in header.parties}}
        return Response(page.answer(sent(TimelineSerializer, page.results, context)))


def distinct_missing(views: Sequence[HypothesisView]) -> list[dict[str, Any]]:
    """Return what the explanations lack, each source of each holder once."""
    distinct: dict[tuple[str, str, str], dict[str, Any]] = {}
    for view in views:
        for each in view.missing:
            key = (each["source"], each["held_by"], each["would"])
            distinct.setdefault(key, dict(each))
    return list(distinct.values())
