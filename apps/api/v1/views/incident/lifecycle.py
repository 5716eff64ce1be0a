"""What people do with an incident: take note, resolve, reopen."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.queries import read_body
from apps.api.v1.schema import changing, writes
from apps.api.v1.serializers.incident.coordination import (
    ReopenEntrySerializer,
    ResolveEntrySerializer,
    entry_of,
)
from apps.api.v1.serializers.incident.incidents import IncidentSerializer
from apps.api.v1.views.incident.incidents import IncidentEndpoint
from apps.incidents.entries import StepEntry
from apps.incidents.facade.acts import acknowledge, reopen, resolve
from apps.incidents.facade.reads import incident_header


class LifecycleView(IncidentEndpoint):
    """A step in the life of an incident; the answer is the header after it."""

    def act(
        self, public_id: str, step: Callable[..., None], action: str, **entered: StepEntry
    ) -> Response:
        """Take the step and note it."""
        incident = self.incident(public_id)
        step(actor=self.actor, incident=incident, now=timezone.now(), **entered)
        self.note_act(incident, action)
        header = incident_header(actor=self.actor, public_id=public_id)
        return Response(self.sent_header(header))

    def entry(self, kind: type[serializers.Serializer[Any]]) -> StepEntry:
        """Return why; raise ValidationError. What the actor may not find has no fields to name."""
        self.incident(self.kwargs["public_id"])
        return entry_of(read_body(kind, request=self.request))


class Acknowledge(LifecycleView):
    """Say that one's organization has seen it."""

    @extend_schema(
        request=None, responses=changing(IncidentSerializer), operation_id="incident_acknowledge"
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Take note; 409 when somebody of the organization already did."""
        return self.act(public_id, acknowledge, "incident.acknowledged")


class Resolve(LifecycleView):
    """Close it: its owner, or who answers for the layer that is blamed."""

    @writes(ResolveEntrySerializer, IncidentSerializer, operation="incident_resolve")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Resolve, with a reason; 409 unless it is open."""
        return self.act(
            public_id, resolve, "incident.resolved", entry=self.entry(ResolveEntrySerializer)
        )


class Reopen(LifecycleView):
    """Open it again: any party."""

    @writes(ReopenEntrySerializer, IncidentSerializer, operation="incident_reopen")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Reopen, with a reason; 409 unless it is resolved."""
        return self.act(
            public_id, reopen, "incident.reopened", entry=self.entry(ReopenEntrySerializer)
        )
