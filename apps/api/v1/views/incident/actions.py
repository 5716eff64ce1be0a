"""What is to be done about an incident, by whom, and how far it is."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.schema import lists, writes
from apps.api.v1.serializers.incident.coordination import ActionAnswerSerializer, entry_of
from apps.api.v1.serializers.incident.incidents import ActionSerializer
from apps.api.v1.views.incident.coordination import CoordinationView
from apps.incidents.facade.work import set_action
from apps.incidents.states import ActionState


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

    @writes(ActionAnswerSerializer, ActionSerializer, operation="action_answer")
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
