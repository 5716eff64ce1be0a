"""Hand-overs of an incident from one party to another."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.schema import answers, lists, writes
from apps.api.v1.serializers.incident.coordination import (
    HandOverAnswerSerializer,
    HandOverEntrySerializer,
    HandOverSerializer,
    entry_of,
    hand_over_entry_of,
)
from apps.api.v1.serializers.listing import sent
from apps.api.v1.views.incident.coordination import CoordinationView
from apps.incidents.facade.work import (
    answer_hand_over,
    propose_hand_over,
    set_ticket,
)
from apps.incidents.states import HandOverState


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

    @writes(HandOverEntrySerializer, HandOverSerializer, operation="hand_over_propose", status=201)
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Propose one: only who has the incident; 409 while another one waits for its answer."""
        incident = self.incident(public_id)
        entry = hand_over_entry_of(self.values(HandOverEntrySerializer))
        subject = propose_hand_over(
            actor=self.actor, incident=incident, entry=entry, now=timezone.now()
        )
        self.note_on(incident, subject, "hand_over.proposed")
        return self.answer(HandOverSerializer, self.hand_over(incident, subject), incident, 201)


class HandOverDetail(CoordinationView):
    """One hand-over."""

    @extend_schema(responses=answers(HandOverSerializer), operation_id="hand_over")
    def get(self, request: Request, organization: str, public_id: str, hand_over: str) -> Response:
        """Return it with its steps."""
        incident = self.incident(public_id)
        return self.answer(HandOverSerializer, self.hand_over(incident, hand_over), incident)

    @writes(HandOverAnswerSerializer, HandOverSerializer, operation="hand_over_answer")
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
        return self.answer(HandOverSerializer, self.hand_over(incident, hand_over), incident)
