"""What attempts of a session did: steps, saves and loads."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.schema import answers
from apps.api.v1.serializers.runs import RunSerializer
from apps.fleet.facade.sessions import attempts_of, open_session
from apps.telemetry.facade.progress import progress_of
from apps.tenancy.access import NotFound
from apps.training.runs.story import counted_log, run_story


class RunDetail(OrganizationView):
    """Steps, saves and loads of one attempt, as one's own logs tell them."""

    @extend_schema(responses=answers(RunSerializer), operation_id="session_run")
    def get(self, request: Request, organization: str, public_id: str, attempt: int) -> Response:
        """Return them; 404 where no log of one's own tells any."""
        session = open_session(actor=self.actor, public_id=public_id)
        attempts = attempts_of(actor=self.actor, sessions=[session])[session.id]
        found = next((each for each in attempts if each.number == attempt), None)
        logs = progress_of(actor=self.actor, attempt_id=found.id) if found else ()
        if not logs:
            raise NotFound
        points = [each.points for each in logs]
        chief = counted_log(points)
        others = [point for log in points[:chief] + points[chief + 1 :] for point in log]
        story = run_story(steps=points[chief], others=others)
        return Response(RunSerializer(story, context={"attempt": attempt}).data)
