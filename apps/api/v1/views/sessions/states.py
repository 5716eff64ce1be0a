"""States of a session's attempts, as schedulers and parties reported them."""

from typing import Final

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.schema import answers
from apps.api.v1.serializers.sessions.states import SessionStatesSerializer
from apps.fleet.facade.lifecycles import histories_of
from apps.fleet.facade.sessions import attempts_of, open_session

MOST_ATTEMPTS: Final = 100


class SessionStates(OrganizationView):
    """Every state that was reported of a session's attempts, and the lanes they make."""

    @extend_schema(responses=answers(SessionStatesSerializer), operation_id="session_states")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return them for the newest attempts."""
        session = open_session(actor=self.actor, public_id=public_id)
        attempts = attempts_of(actor=self.actor, sessions=[session])[session.id]
        newest = attempts[-MOST_ATTEMPTS:]
        found = histories_of(actor=self.actor, attempts=newest)
        answer = {
            "attempts": [found[each.id] for each in newest],
            "left_out": len(attempts) - len(newest),
        }
        return Response(SessionStatesSerializer(answer).data)
