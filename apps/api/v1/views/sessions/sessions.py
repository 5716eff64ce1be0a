"""Training sessions and their attempts."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_MADE, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import SessionFilterSerializer, session_filter
from apps.api.v1.schema import answers, lists
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.sessions.sessions import SessionSerializer
from apps.fleet.facade.sessions import attempts_of, list_sessions, open_session


class SessionList(OrganizationView):
    """The training sessions one owns or may know of."""

    @lists(SessionSerializer, SessionFilterSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, newest first."""
        wanted = session_filter(actor=self.actor, request=request)
        rows = list_sessions(actor=self.actor, wanted=wanted)
        page = page_of_rows(rows=rows, order=NEWEST_MADE, request=request)
        attempts = attempts_of(actor=self.actor, sessions=page.results)
        context = {"attempts": attempts}
        return Response(page.answer(sent(SessionSerializer, page.results, context)))


class SessionDetail(OrganizationView):
    """One session with its attempts."""

    @extend_schema(responses=answers(SessionSerializer), operation_id="session")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it."""
        session = open_session(actor=self.actor, public_id=public_id)
        context = {"attempts": attempts_of(actor=self.actor, sessions=[session])}
        return Response(SessionSerializer(session, context=context).data)
