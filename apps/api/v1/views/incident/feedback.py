"""Was it right? What the parties of an incident say, and what that comes to."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_body
from apps.api.v1.schema import answers, changing, lists, writes
from apps.api.v1.serializers.incident.feedback import (
    AccuracySerializer,
    FeedbackEntrySerializer,
    FeedbackSerializer,
)
from apps.api.v1.serializers.listing import sent
from apps.api.v1.views.incident.incidents import IncidentEndpoint
from apps.incidents.entries import Audience, Opinion
from apps.incidents.facade.acts import judge, take_back
from apps.incidents.facade.reads import judged_incidents, opinions_of
from apps.incidents.judgement.accuracy import by_layer, overall, steps
from apps.incidents.states import Judgement


class IncidentFeedback(IncidentEndpoint):
    """What the parties say of the verdict."""

    @lists(FeedbackSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List what each party says now, the first to judge first."""
        incident = self.incident(public_id)
        found = opinions_of(actor=self.actor, incident=incident)
        page = page_of_items(items=found, request=request)
        return Response(page.answer(sent(FeedbackSerializer, page.results)))

    @writes(FeedbackEntrySerializer, FeedbackSerializer, operation="feedback_judge")
    def put(self, request: Request, organization: str, public_id: str) -> Response:
        """Say it for one's own organization, in place of what it said before."""
        incident = self.incident(public_id)
        said = read_body(FeedbackEntrySerializer, request=request)
        row = judge(
            actor=self.actor,
            incident=incident,
            opinion=Opinion(
                judgement=Judgement(said["judgement"]),
                layer=said["layer"],
                cause=said["cause"],
                revision=said["revision"],
            ),
            note=said["note"],
            audience=Audience(
                organizations=tuple(said["audience"]), all_parties=said["all_parties"]
            ),
            now=timezone.now(),
        )
        self.note_act(incident, "incident.judged", row.judgement)
        return Response(FeedbackSerializer(row).data)

    @extend_schema(responses=changing(None, status=204), operation_id="feedback_take_back")
    def delete(self, request: Request, organization: str, public_id: str) -> Response:
        """Take it back; the former versions stay."""
        incident = self.incident(public_id)
        take_back(actor=self.actor, incident=incident, now=timezone.now())
        self.note_act(incident, "incident.judged", Judgement.TAKEN_BACK)
        return Response(status=204)


class Accuracy(OrganizationView):
    """How right the verdicts were."""

    @extend_schema(responses=answers(AccuracySerializer), operation_id="accuracy")
    def get(self, request: Request, organization: str) -> Response:
        """Return shares with n and interval, by layer and by what was stated."""
        judged = judged_incidents(actor=self.actor)
        told = {
            "overall": overall(judged=judged),
            "layers": by_layer(judged=judged),
            "stated": steps(judged=judged),
        }
        return Response(AccuracySerializer(told).data)
