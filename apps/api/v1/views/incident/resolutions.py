"""Proposals to resolve an incident, and what resolved or reopened it."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.schema import answers, lists, writes
from apps.api.v1.serializers.incident.coordination import (
    ResolutionAnswerSerializer,
    ResolutionSerializer,
    ResolveEntrySerializer,
    entry_of,
)
from apps.api.v1.serializers.listing import sent
from apps.api.v1.views.incident.coordination import CoordinationView
from apps.incidents.facade.work import answer_resolution, propose_resolution
from apps.incidents.states import ResolutionState


class Resolutions(CoordinationView):
    """Proposals to resolve an incident, and what resolved or reopened it."""

    creates = True

    @lists(ResolutionSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List them, oldest first."""
        incident = self.incident(public_id)
        page = page_of_items(items=self.coordination(incident).resolutions, request=request)
        shown = sent(ResolutionSerializer, page.results, self.context(incident))
        return Response(page.answer(shown))

    @writes(
        ResolveEntrySerializer, ResolutionSerializer, operation="resolution_propose", status=201
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Propose to resolve it: any party but its owner; 409 while one's own waits."""
        incident = self.incident(public_id)
        entry = entry_of(self.values(ResolveEntrySerializer))
        subject = propose_resolution(
            actor=self.actor, incident=incident, entry=entry, now=timezone.now()
        )
        self.note_act(incident, "resolution.proposed", subject)
        return self.answer(ResolutionSerializer, self.resolution(incident, subject), incident, 201)


class ResolutionDetail(CoordinationView):
    """One proposal to resolve an incident."""

    @extend_schema(responses=answers(ResolutionSerializer), operation_id="resolution")
    def get(self, request: Request, organization: str, public_id: str, resolution: str) -> Response:
        """Return it with its steps."""
        incident = self.incident(public_id)
        return self.answer(ResolutionSerializer, self.resolution(incident, resolution), incident)

    @writes(ResolutionAnswerSerializer, ResolutionSerializer, operation="resolution_answer")
    def patch(
        self, request: Request, organization: str, public_id: str, resolution: str
    ) -> Response:
        """Resolve as proposed, decline it with words, or take one's own back."""
        incident = self.incident(public_id)
        given = self.values(ResolutionAnswerSerializer)
        state = ResolutionState(given["state"])
        answer_resolution(
            actor=self.actor, incident=incident, subject=resolution, state=state,
            entry=entry_of(given), now=timezone.now(),
        )  # fmt: skip
        self.note_act(incident, f"resolution.{state}", resolution)
        return self.answer(ResolutionSerializer, self.resolution(incident, resolution), incident)
