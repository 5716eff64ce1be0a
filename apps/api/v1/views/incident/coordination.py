"""Working on an incident together: hand-overs, proposals to resolve, actions."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.queries import reads
from apps.api.v1.schema import answers, changing, lists
from apps.api.v1.serializers.incident.coordination import (
    ActionAnswerSerializer,
    HandOverAnswerSerializer,
    HandOverEntrySerializer,
    HandOverSerializer,
    ResolutionAnswerSerializer,
    ResolutionSerializer,
    ResolveEntrySerializer,
    entry_of,
    hand_over_entry_of,
)
from apps.api.v1.serializers.incident.incidents import ActionSerializer
from apps.api.v1.serializers.listing import sent
from apps.api.v1.views.incident.incidents import IncidentEndpoint
from apps.incidents.coordination.values import Coordination, HandOverView, ResolutionView
from apps.incidents.facade.reads import annotations_of, incident_header
from apps.incidents.facade.work import (
    answer_hand_over,
    answer_resolution,
    note_hand_over,
    propose_hand_over,
    propose_resolution,
    set_action,
    set_ticket,
)
from apps.incidents.projection.header_values import IncidentFacts, IncidentHeader
from apps.incidents.states import ActionState, HandOverState, ResolutionState
from apps.tenancy.access import NotFound


class CoordinationView(IncidentEndpoint):
    """What the views of hand-overs, proposals and actions share."""

    def header(self, incident: IncidentFacts) -> IncidentHeader:
        """Return the header as it stands now."""
        return incident_header(actor=self.actor, public_id=incident.public_id)

    def coordination(self, incident: IncidentFacts) -> Coordination:
        """Return how it stands now among its parties."""
        return self.header(incident).coordination

    def context(self, incident: IncidentFacts) -> dict[str, Any]:
        """Return the words that go with steps, as far as the reader may read them."""
        notes = annotations_of(incident=incident)
        return {"texts": {each.public_id: each.text for each in notes}}

    def values(self, kind: Any) -> Mapping[str, Any]:
        """Return what was entered; raise ValidationError."""
        given = kind(data=self.request.data)
        given.is_valid(raise_exception=True)
        found: Mapping[str, Any] = given.validated_data
        return found

    def note_on(self, incident: IncidentFacts, subject: str, action: str) -> None:
        """Append an act on a hand-over to the records of both sides and of the owner."""
        note_hand_over(
            actor=self.actor,
            incident=incident,
            subject=subject,
            action=action,
            request=self.request._request,  # noqa: SLF001  what remembers the address
            now=timezone.now(),
        )

    def hand_over(self, incident: IncidentFacts, subject: str) -> HandOverView:
        """Return one hand-over; raise NotFound."""
        for each in self.coordination(incident).hand_overs:
            if each.id == subject:
                return each
        raise NotFound

    def resolution(self, incident: IncidentFacts, subject: str) -> ResolutionView:
        """Return one proposal; raise NotFound."""
        for each in self.coordination(incident).resolutions:
            if each.id == subject:
                return each
        raise NotFound


class HandOvers(CoordinationView):
    """Hand-overs of an incident from one party to another."""

    creates = True

    @lists(HandOverSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List them, oldest first."""
        incident = self.incident(public_id)
        found = self.coordination(incident).hand_overs
        page = page_of_items(items=found, request=request)
        return Response(page.answer(sent(HandOverSerializer, page.results, self.context(incident))))

    @reads(HandOverEntrySerializer)
    @extend_schema(
        request=HandOverEntrySerializer,
        responses=changing(HandOverSerializer, status=201),
        operation_id="hand_over_propose",
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Propose one: only who has the incident; 409 while another one waits for its answer."""
        incident = self.incident(public_id)
        entry = hand_over_entry_of(self.values(HandOverEntrySerializer))
        subject = propose_hand_over(
            actor=self.actor, incident=incident, entry=entry, now=timezone.now()
        )
        self.note_on(incident, subject, "hand_over.proposed")
        shown = HandOverSerializer(
            self.hand_over(incident, subject), context=self.context(incident)
        )
        return Response(shown.data, status=201)


class HandOverDetail(CoordinationView):
    """One hand-over."""

    @extend_schema(responses=answers(HandOverSerializer), operation_id="hand_over")
    def get(self, request: Request, organization: str, public_id: str, hand_over: str) -> Response:
        """Return it with its steps."""
        incident = self.incident(public_id)
        found = self.hand_over(incident, hand_over)
        return Response(HandOverSerializer(found, context=self.context(incident)).data)

    @reads(HandOverAnswerSerializer)
    @extend_schema(
        request=HandOverAnswerSerializer,
        responses=changing(HandOverSerializer),
        operation_id="hand_over_answer",
    )
    def patch(
        self, request: Request, organization: str, public_id: str, hand_over: str
    ) -> Response:
        """Accept, decline, ask for information or give it, take back, return, or set one's own
        ticket number; 409 when it has had that answer.
        """
        incident = self.incident(public_id)
        given = self.values(HandOverAnswerSerializer)
        asked: dict[str, Any] = {
            "actor": self.actor,
            "incident": incident,
            "subject": hand_over,
            "now": timezone.now(),
        }
        if "state" in given:
            state = HandOverState(given["state"])
            answer_hand_over(state=state, entry=entry_of(given), **asked)
            self.note_on(incident, hand_over, f"hand_over.{state.name.lower()}")
        if "ticket" in given:
            set_ticket(ticket=given["ticket"], **asked)
            self.note_on(incident, hand_over, "hand_over.ticket_set")
        found = self.hand_over(incident, hand_over)
        return Response(HandOverSerializer(found, context=self.context(incident)).data)


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

    @reads(ResolveEntrySerializer)
    @extend_schema(
        request=ResolveEntrySerializer,
        responses=changing(ResolutionSerializer, status=201),
        operation_id="resolution_propose",
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Propose to resolve it: any party but its owner; 409 while one's own waits."""
        incident = self.incident(public_id)
        entry = entry_of(self.values(ResolveEntrySerializer))
        subject = propose_resolution(
            actor=self.actor, incident=incident, entry=entry, now=timezone.now()
        )
        self.note_act(incident, "resolution.proposed", subject)
        shown = ResolutionSerializer(
            self.resolution(incident, subject), context=self.context(incident)
        )
        return Response(shown.data, status=201)


class ResolutionDetail(CoordinationView):
    """One proposal to resolve an incident."""

    @extend_schema(responses=answers(ResolutionSerializer), operation_id="resolution")
    def get(self, request: Request, organization: str, public_id: str, resolution: str) -> Response:
        """Return it with its steps."""
        incident = self.incident(public_id)
        found = self.resolution(incident, resolution)
        return Response(ResolutionSerializer(found, context=self.context(incident)).data)

    @reads(ResolutionAnswerSerializer)
    @extend_schema(
        request=ResolutionAnswerSerializer,
        responses=changing(ResolutionSerializer),
        operation_id="resolution_answer",
    )
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
        found = self.resolution(incident, resolution)
        return Response(ResolutionSerializer(found, context=self.context(incident)).data)


class Actions(CoordinationView):
    """What is to be done about an incident, by whom, and how far it is."""

    @lists(ActionSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List the actions in order."""
        incident = self.incident(public_id)
        found = self.sent_header(self.header(incident))["actions"]
        page = page_of_items(items=found, request=request)
        return Response(page.answer(page.results))


class ActionDetail(CoordinationView):
    """One action of an incident."""

    @reads(ActionAnswerSerializer)
    @extend_schema(
        request=ActionAnswerSerializer,
        responses=changing(ActionSerializer),
        operation_id="action_answer",
    )
    def patch(self, request: Request, organization: str, public_id: str, action: str) -> Response:
        """Take it, say that it is done, refuse it with a reason, or leave it open again: a party
        that is asked for it.
        """
        incident = self.incident(public_id)
        given = self.values(ActionAnswerSerializer)
        state = ActionState(given["state"])
        set_action(
            actor=self.actor, incident=incident, subject=action, state=state,
            entry=entry_of(given), now=timezone.now(),
        )  # fmt: skip
        self.note_act(incident, f"action.{state}", action)
        found = self.sent_header(self.header(incident))["actions"]
        return Response(next(each for each in found if each["id"] == action))
