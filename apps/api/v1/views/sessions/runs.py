"""What attempts of a session did: steps, saves and loads."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.schema import answers
from apps.api.v1.serializers.sessions.runs import RunSerializer
from apps.fleet.facade.sessions import attempts_of, open_session
from apps.reliability.sessions.told_attempts import told_attempt
from apps.telemetry.facade.progress import progress_of
from apps.tenancy.access import NotFound
from apps.training.runs.story import run_story


class RunDetail(OrganizationView):
    """Steps, saves and loads of one attempt, as one's own logs tell them."""

    @extend_schema(responses=answers(RunSerializer), operation_id="session_run")
    def get(self, request: Request, organization: str, public_id: str, attempt: str) -> Response:
        """Return them; nothing but nulls where no log of one's own tells any."""
        session = open_session(actor=self.actor, public_id=public_id)
        attempts = attempts_of(actor=self.actor, sessions=[session])[session.id]
        found = next((each for each in attempts if str(each.number) == attempt), None)
        if found is None:
            raise NotFound
        logs = progress_of(actor=self.actor, session_id=session.id).get(found.number)
        story = told_attempt(logs).story if logs else run_story(steps=())
        return Response(RunSerializer(story, context={"attempt": found.number}).data)
